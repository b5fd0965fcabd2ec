import CaptureModel

extension Timestamp {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The moment as the field `Date` has it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    var httpDate: String {
        let text = rfc3339
        let (year, day, time) = (text.prefix(4), text.dropFirst(8).prefix(2), text.dropFirst(11).prefix(8))
        let month = Int(text.dropFirst(5).prefix(2)) ?? 1
        // 1 January 1970 was a Thursday; no clock is before it.
        let weekday = Int((millisecondsSince1970 / 86_400_000 % 7 + 11) % 7)
        return "\(Self.weekdays[weekday]), \(day) \(Self.months[month - 1]) \(year) \(time) GMT"
    }
}
