import CaptureModel
import CaptureQueue
import Waiting

/// A queue whose answer does not come before the caller is cancelled.
struct BrokenOffQueue: RestorableQueue {
    /// Opened by whoever asks.
    let asked: Latch

    func partition(of device: DeviceID) -> Int { 0 }
    func restorations() async throws(QueueError) -> [Restoration] {
        asked.open()
        let never = Latch()
        do { try await never.pass() } catch { throw QueueError(.outcomeUnknown, "the calling task was cancelled") }
        return []
    }
    func beginRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restoring(mark) }
    func finishRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restored(mark) }
    func note(refused: [Int: QueueError]) {}
    func presence(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [Presence] { [] }
    func deadLetterPlaces(
        in: Int, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] { [] }
    func redrive(_ capture: CaptureID, in: Int) async throws(QueueError) -> Bool { false }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] { [] }
}
