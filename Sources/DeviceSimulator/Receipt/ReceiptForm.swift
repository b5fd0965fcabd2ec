import Crypto

/// The forms of a receipt's envelope.
package enum ReceiptForm: String, Sendable, CaseIterable {
    /// Apple's form since October 2020: indefinite lengths, no signed attributes.
    case current
    /// Apple's form before that: with signed attributes, although the signature is over the content.
    case early
    /// The form of RFC 5652 with signed attributes: the signature is over them.
    case attributesSigned
    /// With definite lengths and the content in one piece, as in DER.
    case definite

    /// Content type and digest as signed attributes; empty where there are none.
    func attributes(_ content: [UInt8]) -> [UInt8] {
        guard self == .early || self == .attributesSigned else { return [] }
        let cms: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
        func attribute(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
            BERWriter.definite(
                BERWriter.sequence,
                BERWriter.definite(0x06, cms + [0x09, number]) + BERWriter.definite(BERWriter.set, value))
        }
        return attribute(3, BERWriter.definite(0x06, cms + [0x07, 0x01]))
            + attribute(4, BERWriter.definite(0x04, Array(SHA256.hash(data: content))))
    }
}
