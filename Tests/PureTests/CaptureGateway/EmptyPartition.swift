import CaptureModel
import CaptureQueue

/// A queue of one partition, without dead letters, that agrees to each restoration.
protocol EmptyPartition: RestorableQueue {}

extension EmptyPartition {
    func partition(of device: DeviceID) -> Int { 0 }
    func beginRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restoring(mark) }
    func finishRestoration(of: Int, mark: RestorationMark) async throws(QueueError) -> Restoration { .restored(mark) }
    func note(refused: [Int: QueueError]) {}
    func deadLetterPlaces(
        in: Int, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] { [] }
    func redrive(_ capture: CaptureID, in: Int) async throws(QueueError) -> Bool { false }
}
