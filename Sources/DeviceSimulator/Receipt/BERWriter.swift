/// Writes elements of BER, with definite lengths and with the indefinite ones that Apple's receipts have.
enum BERWriter {
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// Header with the shortest length, then the contents.
    static func definite(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count >= 0x80 else { return [identifier, UInt8(contents.count)] + contents }
        let octets = withUnsafeBytes(of: UInt32(contents.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [identifier, 0x80 | UInt8(octets.count)] + octets + contents
    }

    /// Header without a length, the contents, and the end-of-contents.
    static func indefinite(_ identifier: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [identifier, 0x80] + contents + [0, 0]
    }
}
