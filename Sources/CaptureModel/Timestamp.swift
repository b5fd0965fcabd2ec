#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A moment as microseconds since 1970-01-01T00:00:00Z: the resolution of PostgreSQL's `timestamptz`.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since the Unix epoch.
    public let microsecondsSince1970: Int64

    /// Takes microseconds since the Unix epoch.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// Takes milliseconds since the Unix epoch, clamped to 64 bits.
    public init(millisecondsSince1970: Int64) {
        let (product, overflow) = millisecondsSince1970.multipliedReportingOverflow(by: 1000)
        self.microsecondsSince1970 = overflow ? (millisecondsSince1970 < 0 ? .min : .max) : product
    }

    /// Takes a Foundation date, clamped to 64 bits.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.microsecondsSince1970 = Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }

    /// The same moment as a Foundation date.
    public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }

    /// Milliseconds since the Unix epoch, rounded down.
    public var millisecondsSince1970: Int64 { microsecondsSince1970.flooredQuotient(by: 1000) }

    /// The same as ``rfc3339``.
    public var description: String { rfc3339 }

    /// Whether the left one is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }

    /// The moment a duration later (or earlier, when negative), clamped to 64 bits.
    public func advanced(by duration: Duration) -> Timestamp {
        let sum = Int128(microsecondsSince1970) + duration.attoseconds / 1_000_000_000_000
        return Timestamp(microsecondsSince1970: Int64(clamping: sum))
    }

    /// How long after an earlier moment this one is.
    public func since(_ earlier: Timestamp) -> Duration {
        let (difference, overflow) = microsecondsSince1970.subtractingReportingOverflow(earlier.microsecondsSince1970)
        return .microseconds(overflow ? (self < earlier ? .min : .max) : difference)
    }
}

/// Where the time comes from: the executables pass the system's, tests their own.
public typealias TimeSource = @Sendable () -> Timestamp

extension Timestamp {
    /// The system's time, for the executables.
    public static let systemTime: TimeSource = { Timestamp(Date()) }
}
