extension Timestamp {
    private static let secondsPerDay: Int64 = 86_400

    /// Reads an RFC 3339 date and time with or without a fraction of a second; anything else is `nil`.
    ///
    /// Digits beyond the microseconds are cut off. A leap second (`:60`) is no moment here, as in POSIX time.
    public init?(rfc3339 text: String) {
        // Longer than any sensible fraction; bounds the work on a hostile header.
        guard (20...40).contains(text.utf8.count) else { return nil }
        let text = Array(text.utf8)
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let date = CivilDate(year: year, month: month, day: day),
            let hour = Self.number(text[11..<13]), hour < 24, let minute = Self.number(text[14..<16]), minute < 60,
            let second = Self.number(text[17..<19]), second < 60
        else { return nil }
        var zone = text[19...]
        var microseconds: Int64 = 0
        if zone.first == UInt8(ascii: ".") {
            let digits = zone.dropFirst().prefix(while: Self.isDigit)
            guard !digits.isEmpty else { return nil }
            microseconds = Self.microseconds(digits)
            zone = text[digits.endIndex...]
        }
        guard let offset = Self.secondsFromUTC(zone) else { return nil }
        let seconds = date.daysSince1970 * Self.secondsPerDay + hour * 3600 + minute * 60 + second - offset
        self.init(microsecondsSince1970: seconds * 1_000_000 + microseconds)
    }

    /// Reads `Z` or `+hh:mm` or `-hh:mm`.
    private static func secondsFromUTC(_ zone: ArraySlice<UInt8>) -> Int64? {
        guard let sign = zone.first else { return nil }
        if sign == UInt8(ascii: "Z") { return zone.count == 1 ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), zone.count == 6 else { return nil }
        let (hours, minutes) = (zone.dropFirst().prefix(2), zone.suffix(2))
        guard zone[zone.startIndex + 3] == UInt8(ascii: ":"), let hours = number(hours), hours < 24,
            let minutes = number(minutes), minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
    }

    /// The millionths of a second that the digits of a fraction stand for.
    private static func microseconds(_ digits: ArraySlice<UInt8>) -> Int64 {
        digits.prefix(6).reduce(into: (value: Int64(0), unit: Int64(1_000_000))) {
            $0.unit /= 10
            $0.value += Int64($1 - UInt8(ascii: "0")) * $0.unit
        }.value
    }

    /// The number that decimal digits stand for; `nil` when one of the characters is none.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard isDigit(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// RFC 3339 in UTC with milliseconds, as every answer writes times.
    public var rfc3339: String {
        let milliseconds = millisecondsSince1970
        let seconds = milliseconds.flooredQuotient(by: 1000)
        let days = seconds.flooredQuotient(by: Self.secondsPerDay)
        let (date, second) = (CivilDate(daysSince1970: days), seconds - days * Self.secondsPerDay)
        func padded(_ number: Int64, _ digits: Int = 2) -> String {
            let text = String(number.magnitude)
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
            + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
            + ".\(padded(milliseconds - seconds * 1000, 3))Z"
    }
}
