import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import FilesystemBundleStore
import Logging
import TestSupport

/// The workers' own sweep of the bundle folder, at once instead of after `bundles.orphanAge`.
///
/// Only for the end of a run, when the queue is empty and the ledger closed: whatever is left then is nobody's.
struct Sweep {
    /// The folder.
    let directory: String

    /// Goes through the folder once.
    func run() async throws {
        var configuration = OrphanSweeper<MemoryCaptureQueue, FilesystemBundleStore>.Configuration()
        configuration.age = .zero
        configuration.unknownAge = .zero
        let sweeper = OrphanSweeper(
            bundles: FilesystemBundleStore(directory: directory),
            queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { (_) async throws(StoreError) in [:] }, configuration: configuration,
            start: SweepPosition(part: 0), logger: .quiet
        )
        var position = SweepPosition(part: 0)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: 0)
    }
}
