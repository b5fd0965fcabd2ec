import CaptureModel
import Testing

@testable import CaptureGateway

struct `Values of uploads` {
    @Test func `a budget is free again when its uploads are gone`() throws {
        let budget = BodyBudget(bytesMax: 10, bodyBytesMax: 10)
        do {
            let first = try #require(budget.reserve(4, for: "a"))
            #expect(budget.reserve(7, for: "b") == nil)
            #expect(first.cover(10))
            #expect(!first.cover(11))
            #expect(first.cover(3), "what is reserved already suffices")
            #expect(budget.bytesReserved == 10)
        }
        #expect(budget.bytesReserved == 0)
    }

    /// RFC 9110 section 5.6.7.
    @Test(arguments: [
        ("1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("2000-02-29T23:59:59.999Z", "Tue, 29 Feb 2000 23:59:59 GMT"),
        ("2026-12-31T12:00:00Z", "Thu, 31 Dec 2026 12:00:00 GMT"),
    ])
    func `a moment is written as HTTP has dates`(moment: String, date: String) throws {
        #expect(try #require(Timestamp(rfc3339: moment)).httpDate == date)
    }

    /// Whoever comes back when it says is not too early.
    @Test(arguments: [
        (Duration.zero, 1), (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1001), 2), (.seconds(60), 60),
    ])
    func `a pause is told in whole seconds, begun ones as well`(pause: Duration, seconds: Int) {
        #expect(Envelope.wholeSeconds(pause) == seconds)
    }

    @Test(arguments: [
        ("image/jpeg", true), ("IMAGE/JPEG; q=1", true), ("image/jpeg2", false), ("", false), ("image/png", false),
    ])
    func `only image slash jpeg is a photo`(_ type: String, _ isJPEG: Bool) {
        #expect(MediaType.jpeg.isNamed(by: type) == isJPEG)
    }

    @Test(arguments: [
        ("application/json", true), (" Application/JSON ; charset=utf-8", true), ("application/json\t;", true),
        ("application / json", false), ("application/json text/plain", false), (";application/json", false),
        ("application/json+ld", false), ("", false),
    ])
    func `only application slash json is JSON`(_ type: String, _ isJSON: Bool) {
        #expect(MediaType.json.isNamed(by: type) == isJSON)
    }

    @Test func `an assertion is CBOR or base64 of it`() {
        #expect(AssertionText.decode([0xA2, 1]) == [0xA2, 1])
        #expect(AssertionText.decode(Array("ogE=\r\n".utf8)) == [0xA2, 1])
        #expect(AssertionText.decode(Array("ogEB".utf8)) == [0xA2, 1, 1])
        #expect(AssertionText.decode(Array("o gE=".utf8)) == nil)
        #expect(AssertionText.decode([0x0A]) == nil)
        #expect(AssertionText.decode([]) == nil)
    }

    /// Readers differ on others: one gateway would take an upload that the next refuses for good.
    @Test(arguments: ["ogE==", "ogE===", "ogE=====\n", "ogEB=", "ogEB====", "ogE", "ogF=", "ogE=\n=", "===="])
    func `base64 of an assertion has the one form that encoding gives`(text: String) {
        #expect(AssertionText.decode(Array(text.utf8)) == nil)
    }
}
