import HTTPTypes

extension HTTPFields {
    /// The length that the body is announced to have; `nil` where nothing is said of it.
    /// - Throws: `PAYLOAD_TOO_LARGE` when that is too much.
    func contentLength(atMost bytesMax: Int) throws(APIError) -> Int? {
        guard let text = self[.contentLength] else { return nil }
        // More digits than a number holds: the server has checked that they are digits.
        guard let length = Int(text), (0...bytesMax).contains(length) else { throw .tooLarge("body", bytesMax) }
        return length
    }

    /// Refuses a body that would have to be unpacked first (RFC 9110 section 15.5.16): read as it is, it would be at
    /// fault for another reason, and stored, it would not be what was meant.
    func requirePlainContent() throws(APIError) {
        let isPlain = self[values: .contentEncoding].allSatisfy { coding in
            coding.isEmpty || coding.utf8.count == 8 && coding.lowercased() == "identity"
        }
        guard isPlain else {
            throw APIError(.unsupportedMediaType, "the body must not be encoded", field: "Content-Encoding")
        }
    }
}
