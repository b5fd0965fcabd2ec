/// Media types of bodies and of their parts (RFC 9110 section 8.3.1).
enum MediaType: String, Sendable {
    case jpeg = "image/jpeg"
    case json = "application/json"

    /// Whether a Content-Type says this type, with or without parameters.
    func isNamed(by contentType: String?) -> Bool {
        guard let type = contentType?.utf8.prefix(while: { $0 != UInt8(ascii: ";") }) else { return false }
        let words = type.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return words.count == 1 && words[0].elementsEqual(rawValue.utf8) { Self.lowercased($0) == $1 }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
