import CaptureModel
import CaptureQueue
import Testing

@testable import capturectl

@Suite("The queue as people read it")
struct OverviewTextTests {
    private func text(countedSince since: Timestamp?) -> String {
        let load = QueueLoad(
            captures: 0, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: 0, leasedLanes: 0, capturesMax: 10,
            bytesMax: 10)
        let nothing = Tally(start: Timestamp(millisecondsSince1970: 1_790_000_000_000), duration: .seconds(60))
        let overview = QueueOverview(
            load: load, workers: [], lastMinute: nothing, lastHour: nothing, lastDay: nothing, countedSince: since)
        return OverviewText(overview: overview, terminal: Terminal(columns: nil, isTinted: false)).text
    }

    /// After a loss the day's numbers are those of a few minutes.
    @Test func `since when its numbers are counted is told where that is known`() {
        let told = text(countedSince: Timestamp(millisecondsSince1970: 1_790_000_900_000))
        let note = "\ncounted since 2026-09-21T14:28:20.000Z, when Redis had lost its data or was new\n"
        #expect(told.contains(note), "\(told)")
        #expect(!text(countedSince: nil).contains("counted since"))
    }
}
