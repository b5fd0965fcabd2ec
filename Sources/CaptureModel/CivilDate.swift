/// A day of the Gregorian calendar, carried on into all the past as RFC 3339 and PostgreSQL have it.
struct CivilDate: Equatable {
    let year: Int64
    let month: Int64
    let day: Int64

    /// Four hundred years, after which the calendar repeats itself.
    private static let daysPerEra: Int64 = 146_097
    /// From 1 March of the year 0, with which the reckoning starts, to the Unix epoch.
    private static let daysBeforeEpoch: Int64 = 719_468

    /// Takes a day that there is; any other is `nil`.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Takes a number of days since 1970-01-01.
    ///
    /// Years begin with March here, so that the day that comes and goes is the last one of a year.
    init(daysSince1970: Int64) {
        let days = daysSince1970 + Self.daysBeforeEpoch
        let era = days.flooredQuotient(by: Self.daysPerEra)
        let dayOfEra = days - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / (Self.daysPerEra - 1)) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// How many days after 1970-01-01 it is.
    var daysSince1970: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.flooredQuotient(by: 400)
        let yearOfEra = year - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysBeforeEpoch
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
