import CaptureModel
import Testing

@Suite("Durations as whole numbers")
struct DurationWholeTests {
    private static let cases: [(Duration, whole: Int, begun: Int)] = [
        (.zero, 0, 0), (.milliseconds(7), 7, 7), (.microseconds(7_001), 7, 8), (.microseconds(7_999), 7, 8),
        (.nanoseconds(1), 0, 1), (.nanoseconds(-1), 0, 0), (.milliseconds(-1_500), -1_500, -1_500),
        (.microseconds(-1_500), -1, -1), (.seconds(86_400), 86_400_000, 86_400_000),
        (.seconds(Int64.max), .max, .max), (.seconds(Int64.min), .min, .min),
    ]

    @Test(arguments: cases)
    func `durations as whole numbers have the whole units or those that have begun, within what a number holds`(
        duration: Duration, whole: Int, begun: Int
    ) {
        #expect(duration.whole(.milliseconds(1)) == whole)
        #expect(duration.begun(.milliseconds(1)) == begun)
    }
}
