import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import DeviceSimulator
import Observability
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The reconciler` {
    @Test(arguments: [Result<Restoration, QueueError>.success(.unmarked), .failure(QueueError(.unavailable, "away"))])
    func `the reconciler pauses after a look that came to nothing, however many uploads wake it`(
        restoration: Result<Restoration, QueueError>
    ) async throws {
        let queue = StandingQueue(restoration)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let gate = Gate()
        let reconciler = queue.reconciler(ledger, sleep: { _ in await gate.pass() })
        // Another gateway has the ledger to itself all the while.
        _ = try await ledger.exclusively {
            let running = Task { try await reconciler.run() }
            for _ in 0..<3 { reconciler.wake() }
            await gate.untilReached()
            for _ in 0..<3 { reconciler.wake() }
            #expect(queue.count == 1)
            gate.open()
            running.cancel()
            _ = await running.result
        }
    }

    @Test func `the reconciler sweeps and purges although a gateway that has stopped holds the lock`() async throws {
        let recorder = LogRecorder()
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        let upload = SubmissionMaker.submission(seed: 5)
        _ = try await ledger.record([upload])
        await ledger.close([upload.id])
        time.advance(by: .seconds(1))
        let queue = StandingQueue(.success(.restored(StandingQueue.mark)))
        let reconciler = queue.reconciler(ledger, logger: recorder.logger) { $0.retention = .zero }
        var configuration = IntakeReconciler.Configuration()
        (configuration.grace, configuration.othersMax) = (.zero, .zero)
        let impatient = configuration
        _ = try await ledger.exclusively {
            var round = ReconcilerRound(impatient)
            do {
                let isDone = try await reconciler.turn(&round)
                #expect(isDone)
            } catch {
                Issue.record(error)
            }
        }
        #expect(recorder.lines == ["notice the sweep is not left to another gateway any longer"])
        #expect(try await ledger.accepted([upload.id]).isEmpty)
    }

    @Test func `the reconciler warns of captures that were lost while it was running, and of none at its start`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.unmarked)), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        var maker = SubmissionMaker(seed: 6)
        _ = try await ledger.record([maker.submission(of: maker.device())])
        let reconciler = queue.reconciler(ledger, logger: recorder.logger)
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        // A restart that loses nothing takes the mark away, too.
        for outcome in [nil, .restored] as [RestoreOutcome?] {
            queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
            try await reconciler.turn(&round)
            queue.restoration.withLock { $0 = .success(.unmarked) }
            queue.outcome.withLock { $0 = outcome }
            try await reconciler.turn(&round)
        }
        #expect(
            recorder.lines == [
                "notice the queue holds everything that was accepted",
                "notice Redis, its functions or all gateways were away: no capture was missing",
                "warning Redis, its functions or all gateways were away: missing captures are in the queue again",
            ])
    }

    @Test func `the reconciler says and counts that a capture cannot be put back, and does not call the queue whole`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.unmarked), outcome: .invalid("no")), LogRecorder())
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 3)
        let device = maker.device()
        _ = try await ledger.record([maker.submission(of: device)])
        time.advance(by: .seconds(60))
        let reconciler = queue.reconciler(ledger, logger: recorder.logger)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            var round = ReconcilerRound(IntakeReconciler.Configuration())
            try await reconciler.turn(&round)
            queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
            try await reconciler.turn(&round)
        }
        let single = "error an accepted capture cannot be put back"
        #expect(
            recorder.lines == [single, "error not everything that was accepted is in the queue again", single])
        #expect(recorder.values(of: "invalid") == ["1"])
        #expect(try StrictExposition(registry.render()).value("capture_intake_invalid_total") == "2")
    }

    @Test func `the reconciler deletes as many closed rows as there are`() async throws {
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        let uploads = (0..<25).map { _ in maker.submission(of: device) }
        _ = try await ledger.record(uploads)
        await ledger.close(uploads[1...].map(\.id))
        time.advance(by: .seconds(1))
        let reconciler = StandingQueue(.success(.restored(StandingQueue.mark))).reconciler(ledger) {
            ($0.purgeMax, $0.retention) = (5, .zero)
        }
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        #expect(Set(try await ledger.accepted(uploads.map(\.id)).keys) == [uploads[0].id])
    }
}
