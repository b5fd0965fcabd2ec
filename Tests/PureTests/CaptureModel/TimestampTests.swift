import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test func `every millisecond is written and read as itself`() throws {
        for start in [1_773_480_413_000, 0, -86_400_500, 253_402_300_799_000] as [Int64] {
            for milliseconds in start..<start + 1000 {
                let moment = Timestamp(millisecondsSince1970: milliseconds)
                let back = try #require(Timestamp(rfc3339: moment.rfc3339))
                #expect(back == moment, "\(moment.rfc3339)")
            }
        }
        #expect(Timestamp(millisecondsSince1970: 1_773_480_413_589).rfc3339 == "2026-03-14T09:26:53.589Z")
        #expect(Timestamp(microsecondsSince1970: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
    }

    @Test(arguments: [Int64.min, .max]) func `the ends of time can be written`(microseconds: Int64) {
        #expect(Timestamp(microsecondsSince1970: microseconds).rfc3339.hasSuffix("Z"))
    }

    private static let moves: [(Int64, Duration, Int64)] = [
        (5, .milliseconds(-1), -995), (5, .seconds(Int64.max), .max), (-5, .seconds(Int64.min), .min),
        (.max, .microseconds(1), .max), (5, .nanoseconds(1_999), 6),
    ]

    @Test(arguments: moves)
    func `moving a moment stays at the limits of 64 bits`(from: Int64, by duration: Duration, to: Int64) {
        #expect(Timestamp(microsecondsSince1970: from).advanced(by: duration).microsecondsSince1970 == to)
    }

    @Test(arguments: [
        "", "yesterday", "2026-03-14", "2026-03-14T09:26:53", "2026-13-14T09:26:53Z", "2026-03-14T09:26:53Zx",
        "2026-03-14T09:26:53.Z", "2026-03-14T25:26:53Z", "2026-03-14T24:00:00Z", "2026-03-14T09:26:53.5.5Z",
        "2026-03-14T09:26:53+0100", "2026-03-14 09:26:53Z", "2026-03-14T09:26:53.589", "+026-03-14T09:26:53Z",
        "2026-00-14T09:26:53Z", "2026-03-32T09:26:53Z", "2026-03-14T09:61:53Z", "2026-02-30T09:26:53Z",
        "2026-03-14T09:26:60Z", "2026-03-14T09:26:53+24:00", "2026-03-14T09:26:53-01:60", "２026-03-14T09:26:53Z",
        "2026-03-14\u{74}\u{301}9:26:53Z", "2026-03-14409:26:53Z", "2026-03-14T09:26:53:",
    ])
    func `what is not RFC 3339 is no moment`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    /// Section 5.6: a capture is signed once, by whatever made its text.
    @Test(arguments: ["2026-03-14t09:26:53.25z", "2026-03-14T09:26:53.25z", "2026-03-14t10:26:53.25+01:00"])
    func `the letters may be lower-case`(text: String) {
        #expect(Timestamp(rfc3339: text) == Timestamp(rfc3339: "2026-03-14T09:26:53.25Z"))
    }

    @Test func `offsets from UTC count`() {
        let cut = Timestamp(rfc3339: "2026-03-14T09:26:53.250000999Z")
        #expect(Timestamp(rfc3339: "2026-03-14T10:26:53.25+01:00") == cut)
        #expect(Timestamp(rfc3339: "2026-03-14T10:26:53+01:00") == Timestamp(rfc3339: "2026-03-14T09:26:53Z"))
    }

    /// RFC 3339 has four digits for the year, in UTC as well: what is read has to be written again.
    @Test(arguments: [
        "0000-01-01T00:00:00+00:01", "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:59.999-23:59",
    ])
    func `a moment that lies in no year of four digits is none`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [
        ("0000-01-01T23:59:00+23:59", "0000-01-01T00:00:00.000Z"),
        ("9999-12-31T00:00:59.999-23:59", "9999-12-31T23:59:59.999Z"),
    ])
    func `the first and the last moment of the years of four digits are read`(text: String, utc: String) {
        #expect(Timestamp(rfc3339: text)?.rfc3339 == utc)
    }

    @Test func `since the Gregorian calendar is in use, times are those of Foundation`() throws {
        var generator = SeededGenerator(seed: 1)
        let style = Date.ISO8601FormatStyle()
        for _ in 0..<5000 {
            // From 1583 to the end of 9999.
            let seconds = Int64.random(in: -12_212_553_600...253_402_300_799, using: &generator)
            let text = style.format(Date(timeIntervalSince1970: Double(seconds)))
            let moment = try #require(Timestamp(rfc3339: text))
            #expect(moment.microsecondsSince1970 == seconds * 1_000_000, "\(text)")
            #expect(moment.rfc3339 == text.dropLast() + ".000Z")
        }
    }

    @Test func `the calendar has the days that Foundation's has, and no others`() {
        let style = Date.ISO8601FormatStyle()
        for year in [1583, 1600, 1700, 1896, 1900, 1970, 1999, 2000, 2001, 2024, 2026, 2100, 2400, 9999] {
            for (month, day) in (0...13).flatMap({ month in (0...32).map { (month, $0) } }) {
                let text = String(format: "%04d-%02d-%02dT12:00:00Z", year, month, day)
                let date = (try? style.parse(text)).flatMap { style.format($0) == text ? $0 : nil }
                #expect(Timestamp(rfc3339: text)?.date == date, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("0000-01-01T00:00:00Z", -62_167_219_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("1582-10-04T12:00:00Z", -12_219_336_000 - 10 * 86_400), ("1582-10-15T00:00:00Z", -12_219_292_800),
    ])
    func `before its use the Gregorian calendar goes on backwards, as RFC 3339 and PostgreSQL have it`(
        text: String, seconds: Int64
    ) {
        let moment = Timestamp(rfc3339: text)
        #expect(moment == Timestamp(microsecondsSince1970: seconds * 1_000_000))
        #expect(moment?.rfc3339 == text.dropLast() + ".000Z")
    }
}
