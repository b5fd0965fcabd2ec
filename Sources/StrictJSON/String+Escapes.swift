extension String {
    /// Decodes a JSON string without its quotation marks.
    ///
    /// The escapes are whole and surrogates are in pairs: ``JSONWalk`` has checked that.
    init(unescaping content: ArraySlice<UInt8>) {
        self.init(decoding: Self.units(unescaping: content), as: UTF16.self)
    }

    private static func units(unescaping content: ArraySlice<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        var rest = content
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                let plain: [UInt8] = [first] + rest.prefix { $0 != UInt8(ascii: "\\") }
                units += String(decoding: plain, as: UTF8.self).utf16
                rest = rest.dropFirst(plain.count - 1)
                continue
            }
            if letter == UInt8(ascii: "u") {
                units.append(UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0xFFFD)
                rest = rest.dropFirst(4)
            } else {
                units.append(UInt16(controls[letter] ?? letter))
            }
        }
        return units
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "t"): 0x09,
    ]
}
