import CaptureModel

/// The `traceparent` of W3C Trace Context, version 00 (section 3.2.2): a trace and a span of it.
package struct TraceParent: Sendable, Hashable, CustomStringConvertible {
    /// The name of the header, and of the field of a queued job.
    package static let name = "traceparent"
    /// The length of every `traceparent` of version 00.
    private static let bytes = 55

    /// The trace: 32 hexadecimal digits.
    package let traceID: String
    /// The parent of the spans that follow: 16 hexadecimal digits.
    package let spanID: String
    /// Whether the caller may have recorded the trace.
    package let isSampled: Bool

    /// Reads a header; a malformed one is `nil`, as a wrong trace must not stop a capture.
    package init?(_ text: String) {
        guard text.utf8.count == Self.bytes else { return nil }
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.map(\.utf8.count) == [2, 32, 16, 2], fields[0] == "00",
            fields.allSatisfy({ $0.utf8.allSatisfy(Self.isHexDigit) }),
            fields[1].contains(where: { $0 != "0" }), fields[2].contains(where: { $0 != "0" }),
            let flags = UInt8(fields[3], radix: 16)
        else { return nil }
        (traceID, spanID, isSampled) = (String(fields[1]), String(fields[2]), flags & 1 == 1)
    }

    /// A new trace.
    init(random: () -> UInt64) {
        (traceID, spanID, isSampled) = (Self.hex(random()) + Self.hex(random()), Self.hex(random()), true)
    }

    /// A child span of the same trace.
    init(below parent: TraceParent, random: () -> UInt64) {
        (traceID, spanID, isSampled) = (parent.traceID, Self.hex(random()), parent.isSampled)
    }

    /// The header.
    package var description: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Never all zeros, which would not be an id.
    private static func hex(_ word: UInt64) -> String {
        let digits = String(max(1, word), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte.isDecimalDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
