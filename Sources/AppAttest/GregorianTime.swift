#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Turns a calendar's time in UTC into a moment, without Foundation's calendars.
enum GregorianTime {
    /// Counts the days of the proleptic Gregorian calendar with years that start in March, so that leap days end them.
    ///
    /// Every part must be in its range; a day beyond the month's last is one of the next month.
    static func date(
        _ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int
    ) -> Date {
        let shifted = month > 2 ? year : year - 1
        let yearDay = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let daysToMarchOf0 = 719_468
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + yearDay - daysToMarchOf0
        return Date(timeIntervalSince1970: Double(((days * 24 + hours) * 60 + minutes) * 60 + seconds))
    }

    /// How many days a month has; 0 for no month.
    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 1, 3, 5, 7, 8, 10, 12: 31
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 0
        }
    }
}
