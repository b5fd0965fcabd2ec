import HTTPTypes

/// The `traceparent` header of W3C Trace Context.
enum TraceParent {
    /// Reads the header of a request.
    static func of(_ headers: HTTPFields) -> String? {
        HTTPField.Name("traceparent").flatMap { wellFormed(headers[$0]) }
    }

    /// Gives a header of version 00 (section 3.2.2) back, anything else is `nil`: a wrong trace must not stop a capture.
    static func wellFormed(_ header: String?) -> String? {
        guard let header, header.utf8.count == 55 else { return nil }
        let fields = header.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.map(\.utf8.count) == [2, 32, 16, 2], fields[0] == "00",
            fields.allSatisfy({ $0.utf8.allSatisfy(isHexDigit) }),
            fields[1].contains(where: { $0 != "0" }), fields[2].contains(where: { $0 != "0" })
        else { return nil }
        return header
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
