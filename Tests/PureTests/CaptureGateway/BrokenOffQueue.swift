import CaptureModel
import CaptureQueue
import Waiting

/// A queue whose answer does not come before the caller is cancelled.
struct BrokenOffQueue: EmptyPartition {
    /// Opened by whoever asks.
    let asked: Latch

    func restorations() async throws(QueueError) -> [Restoration] {
        asked.open()
        let never = Latch()
        do {
            try await never.waitUntilOpen()
        } catch {
            throw QueueError(.outcomeUnknown, "the calling task was cancelled")
        }
        return []
    }
    func presence(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [Presence] { [] }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] { [] }
}
