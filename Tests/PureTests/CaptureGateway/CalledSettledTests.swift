import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// A queue that calls everything settled, and remembers what is put back.
private final class SettledQueue: EmptyPartition {
    private let captures = Mutex<[LostCapture]>([])
    /// What happens when it has said so.
    private let meanwhile: @Sendable () async -> Void

    init(meanwhile: @escaping @Sendable () async -> Void = {}) {
        self.meanwhile = meanwhile
    }

    /// What was put back, in that order.
    var restored: [LostCapture] { captures.withLock { $0 } }

    func restorations() async throws(QueueError) -> [Restoration] { [.restored(StandingQueue.mark)] }
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence] {
        await meanwhile()
        return captures.map { _ in .settled }
    }
    func restore(
        _ captures: [LostCapture], in: Int, under: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] {
        self.captures.withLock { $0 += captures }
        return captures.map { _ in .restored }
    }
}

/// Somebody has written it to Redis, or the record was restored from a backup beside statuses of before.
@Suite(.timeLimit(.minutes(1))) struct `Open rows whose captures the queue calls settled` {
    private let time = ManualTime()

    private func uploads(_ count: Int) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 21)
        let device = maker.device()
        return (0..<count).map { _ in maker.submission(of: device) }
    }

    private func sweep(
        _ queue: SettledQueue, _ ledger: MemoryIntakeLedger, _ log: LogRecorder
    ) async throws -> IntakeWalk.Progress {
        let walk = IntakeWalk(
            queue: queue, ledger: ledger, store: MemoryCaptureStore(time: time.source),
            bundles: MemoryBundleStore(), pageMax: 20, newMark: { StandingQueue.mark }, faults: .none,
            logger: log.logger)
        return try await walk.sweep(
            [.restored(StandingQueue.mark)], after: 0, deadLetters: [:], olderThan: .zero)
    }

    @Test func `a walk puts captures back that the queue calls settled and the ledger has open`() async throws {
        let (ledger, queue, log) = (MemoryIntakeLedger(time: time.source), SettledQueue(), LogRecorder(from: .notice))
        let uploads = uploads(3)
        _ = try await ledger.record(uploads)
        let progress = try await sweep(queue, ledger, log)
        #expect(progress.restored == 3)
        #expect(
            queue.restored
                == uploads.map { LostCapture(submission: $0, isRedriven: false, isCalledSettled: true) })
        #expect(log.lines == ["warning Redis calls captures settled that have no result: they are put back"])
    }

    /// Their results were committed after the page was read, and before the queue was told.
    @Test func `a walk leaves captures alone that were settled since their rows were read`() async throws {
        let (ledger, log) = (MemoryIntakeLedger(time: time.source), LogRecorder(from: .notice))
        let uploads = uploads(3)
        let queue = SettledQueue { await ledger.close(uploads.prefix(2).map(\.id)) }
        _ = try await ledger.record(uploads)
        let progress = try await sweep(queue, ledger, log)
        #expect(progress.restored == 1 && progress.refused.isEmpty)
        #expect(queue.restored.map(\.submission.id) == [uploads[2].id])
    }
}
