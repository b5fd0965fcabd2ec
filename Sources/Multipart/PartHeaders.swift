/// Collects the header lines of one part, byte by byte and bounded, and parses them at the empty line.
struct PartHeaders {
    private let limits: MultipartLimits
    private var bytes: [UInt8] = []
    /// Where the line that is being collected starts.
    private var lineStart = 0

    init(limits: MultipartLimits) {
        self.limits = limits
    }

    /// Takes one byte; returns the part when it was the last byte of the headers.
    ///
    /// - Throws: `headersTooLarge`, or the errors of ``part()``; `malformedHeader` for a line feed or a carriage return
    ///   without the other.
    mutating func append(_ byte: UInt8) throws(MultipartError) -> MultipartPart? {
        guard bytes.count < limits.headerBytesMax else {
            throw MultipartError(.headersTooLarge, "a part has more than \(limits.headerBytesMax) bytes of headers")
        }
        let afterCarriageReturn = bytes.count > lineStart && bytes[bytes.count - 1] == 0x0D
        guard afterCarriageReturn == (byte == 0x0A) else {
            throw MultipartError(.malformedHeader, "a header line must end with CR LF")
        }
        bytes.append(byte)
        guard byte == 0x0A else { return nil }
        if bytes.count - lineStart == 2 {
            let part = try part()
            bytes.removeAll(keepingCapacity: true)
            lineStart = 0
            return part
        }
        lineStart = bytes.count
        return nil
    }

    private func part() throws(MultipartError) -> MultipartPart {
        var values: [String: ArraySlice<UInt8>] = [:]
        for line in bytes.split(separator: 0x0A) {
            let line = line.dropLast()
            if line.isEmpty { continue }
            let (name, value) = try Self.field(line)
            guard values.updateValue(value, forKey: name) == nil else {
                throw MultipartError(.duplicate, "a part has a header twice")
            }
        }
        try Self.checkEncoding(values["content-transfer-encoding"])
        guard let disposition = values["content-disposition"] else {
            throw MultipartError(.malformedDisposition, "a part has no Content-Disposition")
        }
        let header = try HeaderValue(
            disposition, parametersMax: limits.parametersMax, malformed: .malformedDisposition
        )
        guard header.value == "form-data" else {
            throw MultipartError(.malformedDisposition, "a part's disposition must be form-data")
        }
        guard let name = header.parameters["name"], !name.isEmpty else {
            throw MultipartError(.missingName, "a part has no name")
        }
        var contentType: String?
        if let value = values["content-type"] {
            guard let text = String(validating: value, as: UTF8.self) else {
                throw MultipartError(.malformedHeader, "a part's Content-Type is not text")
            }
            contentType = text
        }
        return MultipartPart(name: name, contentType: contentType)
    }

    /// Splits `name: value`.
    ///
    /// A line that starts with a blank (folding, which RFC 7230 deprecates) has no name.
    private static func field(_ line: ArraySlice<UInt8>) throws(MultipartError) -> (String, ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(HeaderReader.isToken)
        else { throw MultipartError(.malformedHeader, "a header line is not name: value") }
        let value = line[(colon + 1)...]
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw MultipartError(.malformedHeader, "a header has a control character")
        }
        let start = value.firstIndex { !HeaderReader.isBlank($0) } ?? value.endIndex
        let end = value.lastIndex { !HeaderReader.isBlank($0) }.map { $0 + 1 } ?? start
        return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), value[start..<end])
    }

    /// Refuses encoded content: signatures and digests cover the bytes as they are.
    private static func checkEncoding(_ value: ArraySlice<UInt8>?) throws(MultipartError) {
        guard let value else { return }
        guard value.count <= "binary".utf8.count,
            ["7bit", "8bit", "binary"].contains(String(decoding: value, as: UTF8.self).lowercased())
        else {
            throw MultipartError(.unsupportedEncoding, "a part's transfer encoding is not supported")
        }
    }
}
