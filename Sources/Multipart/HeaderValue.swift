/// A header's value with its parameters: `form-data; name="photo"; filename="a.jpg"` (RFC 2045 section 5.1).
struct HeaderValue {
    /// The text before the first semicolon, in lower case.
    let value: String
    /// The parameters by their names in lower case.
    let parameters: [String: String]

    /// Reads a value of tokens and quoted strings.
    ///
    /// - Throws: `malformed` for one that cannot be read, `duplicate`, `tooManyParameters`.
    init(
        _ text: some Collection<UInt8>, parametersMax: Int, malformed: MultipartError.Code
    ) throws(MultipartError) {
        var reader = HeaderReader(text)
        reader.skipBlanks()
        let value = reader.readUntil { $0 == UInt8(ascii: ";") || HeaderReader.isBlank($0) }
        guard !value.isEmpty, value.allSatisfy({ HeaderReader.isToken($0) || $0 == UInt8(ascii: "/") }) else {
            throw MultipartError(malformed, "a header's value is not readable")
        }
        var parameters: [String: String] = [:]
        reader.skipBlanks()
        while reader.skip(UInt8(ascii: ";")) {
            reader.skipBlanks()
            // A semicolon at the very end is common and harmless.
            if reader.isAtEnd { break }
            guard let (name, content) = reader.readParameter() else {
                throw MultipartError(malformed, "a header's parameters are not readable")
            }
            guard parameters.updateValue(content, forKey: name) == nil else {
                throw MultipartError(.duplicate, "a header has a parameter twice")
            }
            guard parameters.count <= parametersMax else {
                throw MultipartError(.tooManyParameters, "a header has more than \(parametersMax) parameters")
            }
            reader.skipBlanks()
        }
        guard reader.isAtEnd else { throw MultipartError(malformed, "a header goes on after its parameters") }
        self.value = String(decoding: value, as: UTF8.self).lowercased()
        self.parameters = parameters
    }
}

/// Walks over the bytes of a header's value.
struct HeaderReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Moves past the next byte if it is the given one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    mutating func readUntil(_ isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, !isEnd(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    /// Reads `name=token` or `name="text"`; `nil` for anything else, and for text that is not UTF-8.
    mutating func readParameter() -> (name: String, content: String)? {
        let name = readUntil { !Self.isToken($0) }
        guard !name.isEmpty, skip(UInt8(ascii: "=")) else { return nil }
        let content: [UInt8]
        if skip(UInt8(ascii: "\"")) {
            guard let quoted = readQuoted() else { return nil }
            content = quoted
        } else {
            content = Array(readUntil { !Self.isToken($0) })
            guard !content.isEmpty else { return nil }
        }
        guard let text = String(validating: content, as: UTF8.self) else { return nil }
        return (String(decoding: name, as: UTF8.self).lowercased(), text)
    }

    /// Reads up to the closing quote.
    ///
    /// Only `\"` and `\\` are escapes: browsers send any other backslash as itself.
    private mutating func readQuoted() -> [UInt8]? {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == quote { return content }
            if byte == backslash, position < bytes.count, bytes[position] == quote || bytes[position] == backslash {
                content.append(bytes[position])
                position += 1
            } else if byte < 0x20 && byte != 0x09 || byte == 0x7F {
                return nil
            } else {
                content.append(byte)
            }
        }
        return nil
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// `tchar` of RFC 9110 section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
