import CaptureModel
import CaptureQueue
import Logging
import Synchronization
import TestSupport

@testable import CaptureGateway

/// A queue whose only partition stands where a test says, and which has everything, or lacks everything.
final class StandingQueue: EmptyPartition {
    let restoration: Mutex<Result<Restoration, QueueError>>
    private let looks = Mutex(0)
    /// What comes of a capture that is put back; `nil` as long as it has all of them.
    let outcome: Mutex<RestoreOutcome?>

    init(_ restoration: Result<Restoration, QueueError>, outcome: RestoreOutcome? = nil) {
        self.restoration = Mutex(restoration)
        self.outcome = Mutex(outcome)
    }

    static let mark = RestorationMark(text: "00000000-0000-4000-8000-000000000001")

    /// How often somebody asked where it stands.
    var count: Int { looks.withLock { $0 } }

    func restorations() async throws(QueueError) -> [Restoration] {
        looks.withLock { $0 += 1 }
        return [try restoration.withLock { $0 }.get()]
    }
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence] {
        captures.map { _ in outcome.withLock { $0 == nil } ? .known : .unknown }
    }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] { captures.map { _ in outcome.withLock { $0 } ?? .known } }
}

extension StandingQueue {
    /// A reconciler of this queue, which has no bytes and no results.
    func reconciler(
        _ ledger: MemoryIntakeLedger, logger: Logger = .quiet,
        configure: (inout IntakeReconciler.Configuration) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async -> Void = { _ in }
    ) -> IntakeReconciler {
        var configuration = IntakeReconciler.Configuration()
        configure(&configuration)
        return IntakeReconciler(
            queue: self, ledger: ledger, store: MemoryCaptureStore(time: ManualTime().source),
            bundles: MemoryBundleStore(), configuration: configuration, random: { 7 },
            outages: Outages(logger: .quiet), logger: logger, sleep: sleep)
    }
}
