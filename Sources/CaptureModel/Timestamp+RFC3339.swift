#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Timestamp {
    /// The longest text that is read as a moment, above any sensible fraction; bounds the work on a hostile header.
    package static let rfc3339BytesMax = 40

    /// Reads an RFC 3339 date and time with or without a fraction of a second; anything else is `nil`.
    ///
    /// `t` and `z` may be lower-case (section 5.6). Digits beyond the microseconds are cut off. A leap second (`:60`) is
    /// no moment here, as in POSIX time. Texts of more than 40 bytes are `nil` as well, and a moment that in UTC lies
    /// outside the years 0000 to 9999: no answer could name it.
    public init?(rfc3339 text: String) {
        guard (20...Self.rfc3339BytesMax).contains(text.utf8.count) else { return nil }
        let text = Array(text.utf8)
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), Self.isLetter(text[10], "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
            let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
            let local = Self.secondsSince1970(year, month, day, hour, minute, second)
        else { return nil }
        var zone = text[19...]
        var microseconds: Int64 = 0
        if zone.first == UInt8(ascii: ".") {
            let digits = zone.dropFirst().prefix(while: \.isDecimalDigit)
            guard !digits.isEmpty else { return nil }
            microseconds = Self.microseconds(digits)
            zone = text[digits.endIndex...]
        }
        guard let offset = Self.secondsFromUTC(zone), Self.secondsOfFourDigitYears.contains(local - offset) else {
            return nil
        }
        self.init(microsecondsSince1970: (local - offset) * 1_000_000 + microseconds)
    }

    /// From 0000-01-01T00:00:00Z to the end of 9999.
    private static let secondsOfFourDigitYears: Range<Int64> = -62_167_219_200..<253_402_300_800

    /// The moment in UTC, in the proleptic Gregorian calendar of RFC 3339 and PostgreSQL.
    ///
    /// `nil` when there is no such day or time of day.
    private static func secondsSince1970(
        _ year: Int64, _ month: Int64, _ day: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
    ) -> Int64? {
        guard hour < 24, minute < 60, second < 60 else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        let seconds = timegm(&time)
        // `timegm` reads 30 February as a day in March and writes that day back.
        guard time.tm_mon == month - 1, time.tm_mday == day else { return nil }
        return Int64(seconds)
    }

    /// Reads `Z` or `+hh:mm` or `-hh:mm`.
    private static func secondsFromUTC(_ zone: ArraySlice<UInt8>) -> Int64? {
        guard let sign = zone.first else { return nil }
        if isLetter(sign, "Z") { return zone.count == 1 ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), zone.count == 6 else { return nil }
        let (hours, minutes) = (zone.dropFirst().prefix(2), zone.suffix(2))
        guard zone[zone.startIndex + 3] == UInt8(ascii: ":"), let hours = number(hours), hours < 24,
            let minutes = number(minutes), minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
    }

    /// Whether a character is a letter in either case.
    private static func isLetter(_ character: UInt8, _ letter: Unicode.Scalar) -> Bool {
        character & ~0x20 == UInt8(ascii: letter)
    }

    /// The microseconds in the digits of a fraction.
    private static func microseconds(_ digits: ArraySlice<UInt8>) -> Int64 {
        digits.prefix(6).reduce(into: (value: Int64(0), unit: Int64(1_000_000))) {
            $0.unit /= 10
            $0.value += Int64($1 - UInt8(ascii: "0")) * $0.unit
        }.value
    }

    /// The number of decimal digits; `nil` when one of the characters is not a digit.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard digit.isDecimalDigit else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// RFC 3339 in UTC with milliseconds, as every answer writes times.
    public var rfc3339: String {
        let milliseconds = millisecondsSince1970
        var (seconds, time) = (time_t(milliseconds.flooredQuotient(by: 1000)), tm())
        gmtime_r(&seconds, &time)
        func padded(_ number: Int, _ digits: Int = 2) -> String {
            let text = String(number.magnitude)
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        return "\(padded(Int(time.tm_year) + 1900, 4))-\(padded(Int(time.tm_mon) + 1))-\(padded(Int(time.tm_mday)))"
            + "T\(padded(Int(time.tm_hour))):\(padded(Int(time.tm_min))):\(padded(Int(time.tm_sec)))"
            + ".\(padded(Int(milliseconds) - seconds * 1000, 3))Z"
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
