import CaptureModel
import Testing

@Suite("How far clocks differ")
struct ClockOffsetTests {
    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    /// What is asked at the start and answered after 10 seconds.
    private func offset(telling time: Duration) -> ClockOffset {
        ClockOffset(of: Self.start.advanced(by: time), between: Self.start, and: Self.start.advanced(by: .seconds(10)))
    }

    @Test(arguments: [0, 3, 10]) func `a slow answer is not taken for a wrong clock`(seconds: Int) {
        #expect(offset(telling: .seconds(seconds)) == ClockOffset(ahead: .zero))
    }

    @Test func `what the time of the answer does not explain is the difference`() {
        #expect(offset(telling: .seconds(610)).ahead == .seconds(600))
        #expect(offset(telling: .seconds(-600)).ahead == .seconds(-600))
    }

    @Test(arguments: [-1, 1]) func `two seconds need no word, in either direction`(sign: Int) {
        #expect(!ClockOffset(ahead: .milliseconds(2000 * sign)).isFar)
        #expect(ClockOffset(ahead: .milliseconds(2001 * sign)).isFar)
    }
}
