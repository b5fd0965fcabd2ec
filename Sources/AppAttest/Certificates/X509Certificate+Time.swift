import FoundationEssentials
import SwiftASN1

extension X509Certificate {
    /// Reads a UTCTime or a GeneralizedTime without fractions (RFC 5280, 4.1.2.5).
    static func time(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Date {
        guard let node = nodes.next() else { throw Malformed() }
        guard node.identifier == .generalizedTime else {
            let time = try UTCTime(derEncoded: node)
            return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: node)
        guard time.rawFractionalSeconds.isEmpty else { throw Malformed() }
        return date(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }

    /// Counts the days of the proleptic Gregorian calendar with years that start in March, so that leap days end them.
    private static func date(
        _ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int
    ) -> Date {
        let shifted = month > 2 ? year : year - 1
        let yearDay = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let daysToMarchOf0 = 719_468
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + yearDay - daysToMarchOf0
        return Date(timeIntervalSince1970: Double(((days * 24 + hours) * 60 + minutes) * 60 + seconds))
    }
}
