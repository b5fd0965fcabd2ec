public import FoundationEssentials

/// A moment as microseconds since 1970-01-01T00:00:00Z: the resolution of PostgreSQL's `timestamptz`.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since the Unix epoch.
    public let microsecondsSince1970: Int64

    /// Takes microseconds since the Unix epoch.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// Takes milliseconds since the Unix epoch; beyond what 64 bits hold it stays at the limit.
    public init(millisecondsSince1970: Int64) {
        let (product, overflow) = millisecondsSince1970.multipliedReportingOverflow(by: 1000)
        self.microsecondsSince1970 = overflow ? (millisecondsSince1970 < 0 ? .min : .max) : product
    }

    /// Takes a Foundation date; beyond what 64 bits hold it stays at the limit.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.microsecondsSince1970 = Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }

    /// Reads an RFC 3339 date and time with or without a fraction of a second; anything else is `nil`.
    ///
    /// Digits beyond the microseconds are cut off. A leap second (`:60`) is no moment here, as in POSIX time.
    public init?(rfc3339 text: String) {
        // Longer than any sensible fraction; bounds the work on a hostile header.
        guard (20...40).contains(text.utf8.count) else { return nil }
        let zone = text.utf8.dropFirst(19).drop { $0 == UInt8(ascii: ".") || Self.isDigit($0) }
        let fraction = text.utf8[..<zone.startIndex].dropFirst(19)
        guard Self.hasShape(text.utf8.prefix(19), "0000-00-00T00:00:00"),
            fraction.isEmpty || Self.hasShape(fraction, "." + String(repeating: "0", count: fraction.count - 1)),
            fraction.count != 1, let offset = Self.secondsFromUTC(zone)
        else { return nil }
        // Foundation takes 61 minutes and 30 February for what comes after them; written back, they are not the same.
        let (style, local) = (Date.ISO8601FormatStyle(), "\(text.prefix(19))Z")
        guard let date = try? style.parse(local), style.format(date) == local else { return nil }
        let digits = fraction.dropFirst().prefix(6).reduce(into: (value: Int64(0), unit: Int64(1_000_000))) {
            $0.unit /= 10
            $0.value += Int64($1 - UInt8(ascii: "0")) * $0.unit
        }
        let seconds = Int64(date.timeIntervalSince1970) - offset
        self.init(microsecondsSince1970: seconds * 1_000_000 + digits.value)
    }

    /// Reads `Z` or `+hh:mm` or `-hh:mm`.
    private static func secondsFromUTC(_ zone: Substring.UTF8View) -> Int64? {
        if hasShape(zone, "Z") { return 0 }
        guard hasShape(zone, "+00:00") || hasShape(zone, "-00:00") else { return nil }
        let digits = zone.filter(isDigit).map { Int64($0 - UInt8(ascii: "0")) }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours < 24, minutes < 60 else { return nil }
        return (zone.first == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether text has a digit wherever the shape has `0`, and the shape's own characters elsewhere.
    private static func hasShape(_ text: Substring.UTF8View, _ shape: String) -> Bool {
        text.count == shape.utf8.count
            && zip(text, shape.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }

    /// The same moment as a Foundation date.
    public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000) }

    /// Milliseconds since the Unix epoch, rounded down.
    public var millisecondsSince1970: Int64 {
        let (quotient, remainder) = microsecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// RFC 3339 in UTC with milliseconds, as every answer writes times.
    public var rfc3339: String {
        // The style cuts off what binary fractions of a second lack, so the milliseconds are written here.
        let milliseconds = millisecondsSince1970
        let fraction = (milliseconds % 1000 + 1000) % 1000
        let seconds = Date(timeIntervalSince1970: Double((milliseconds - fraction) / 1000))
        let text = Date.ISO8601FormatStyle().format(seconds)
        return "\(text.dropLast()).\(String(fraction + 1000).dropFirst())Z"
    }

    /// The same as ``rfc3339``.
    public var description: String { rfc3339 }

    /// Earlier or not.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }

    /// The moment that many seconds later (or earlier, when negative); stays at the limits of 64 bits.
    public func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow2) = microsecondsSince1970.addingReportingOverflow(scaled + attoseconds / 1_000_000_000_000)
        guard !overflow, !overflow2 else { return Timestamp(microsecondsSince1970: seconds < 0 ? .min : .max) }
        return Timestamp(microsecondsSince1970: sum)
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
