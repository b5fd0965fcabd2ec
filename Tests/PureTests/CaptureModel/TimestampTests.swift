import CaptureModel
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

    @Test(arguments: [
        "", "yesterday", "2026-03-14", "2026-03-14T09:26:53", "2026-13-14T09:26:53Z", "2026-03-14T09:26:53Zx",
        "2026-03-14T09:26:53.Z", "2026-03-14T25:26:53Z", "2026-03-14T24:00:00Z", "2026-03-14T09:26:53.5.5Z",
        "2026-03-14T09:26:53+0100", "2026-03-14 09:26:53Z", "2026-03-14T09:26:53.589", "+026-03-14T09:26:53Z",
        "2026-00-14T09:26:53Z", "2026-03-32T09:26:53Z", "2026-03-14T09:61:53Z", "2026-02-30T09:26:53Z",
        "2026-03-14T09:26:60Z", "2026-03-14T09:26:53+24:00", "2026-03-14T09:26:53-01:60", "２026-03-14T09:26:53Z",
    ])
    func `what is not RFC 3339 is no moment`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `offsets from UTC count`() {
        let cut = Timestamp(rfc3339: "2026-03-14T09:26:53.250000999Z")
        #expect(Timestamp(rfc3339: "2026-03-14T10:26:53.25+01:00") == cut)
        #expect(Timestamp(rfc3339: "2026-03-14T10:26:53+01:00") == Timestamp(rfc3339: "2026-03-14T09:26:53Z"))
    }
}
