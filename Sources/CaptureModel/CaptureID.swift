#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Names one capture for its whole life: in Redis keys, in PostgreSQL, in answers and in logs.
///
/// New ones are UUIDs of version 7 (RFC 9562 section 5.7), so that they sort by the time at which they were made.
public struct CaptureID: Hashable, Sendable, CustomStringConvertible {
    /// The id as a UUID.
    public let uuid: UUID

    /// Takes over an id that exists already.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    // SE-0460: other modules call the versions compiled for these texts; the generic one looks up every operation.
    /// Reads the canonical text form (36 characters, either case); anything else is `nil`.
    @specialized(where Text == String)
    @specialized(where Text == Substring)
    public init?<Text: StringProtocol>(_ text: Text) {
        guard let uuid = UUID(canonical: text) else { return nil }
        self.uuid = uuid
    }

    /// Makes a new id of version 7 for a moment.
    /// - Parameters:
    ///   - now: The time that the id carries, in milliseconds.
    ///   - generator: Where the other 74 bits come from.
    public static func make(at now: Timestamp, using generator: inout some RandomNumberGenerator) -> CaptureID {
        let high = generator.next()
        let low = generator.next()
        let milliseconds = UInt64(clamping: now.millisecondsSince1970)
        func byte(_ value: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
        return CaptureID(
            UUID(
                uuid: (
                    byte(milliseconds, 40), byte(milliseconds, 32), byte(milliseconds, 24), byte(milliseconds, 16),
                    byte(milliseconds, 8), byte(milliseconds, 0),
                    0x70 | (byte(high, 0) & 0x0F), byte(high, 8),
                    0x80 | (byte(high, 16) & 0x3F), byte(high, 24),
                    byte(low, 0), byte(low, 8), byte(low, 16), byte(low, 24), byte(low, 32), byte(low, 40)
                )
            )
        )
    }

    /// The time that an id of version 7 carries; others carry none.
    public var madeAt: Timestamp? {
        let bytes = uuid.uuid
        guard bytes.6 >> 4 == 7 else { return nil }
        let milliseconds = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(0 as Int64) {
            $0 << 8 | Int64($1)
        }
        return Timestamp(millisecondsSince1970: milliseconds)
    }

    /// The canonical text form in lower case.
    public var description: String { uuid.canonicalText }
}
