import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import DeviceSimulator
import Logging
import Observability
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The reconciler` {
    private static func reconciler(
        _ queue: StandingQueue, _ ledger: MemoryIntakeLedger, logger: Logger = .quiet,
        configure: (inout IntakeReconciler.Configuration) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async -> Void = { _ in }
    ) -> IntakeReconciler {
        var configuration = IntakeReconciler.Configuration()
        configure(&configuration)
        return IntakeReconciler(
            queue: queue, ledger: ledger, store: MemoryCaptureStore(time: ManualTime().source),
            bundles: MemoryBundleStore(), configuration: configuration, random: { 7 },
            outages: Outages(logger: .quiet), logger: logger,
            sleep: sleep)
    }

    private static func isPostgresUp(_ registry: PrometheusRegistry) throws -> String? {
        try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "postgres"])
    }

    @Test(arguments: [Result<Restoration, QueueError>.success(.unmarked), .failure(QueueError(.unavailable, "away"))])
    func `the reconciler pauses after a look that came to nothing, however many uploads wake it`(
        restoration: Result<Restoration, QueueError>
    ) async throws {
        let queue = StandingQueue(restoration)
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let gate = Gate()
        let reconciler = Self.reconciler(queue, ledger, sleep: { _ in await gate.pass() })
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

    /// An outage that is logged then is never over.
    @Test func `the reconciler says nothing of a server whose call its own stop has broken off`() async throws {
        let (asked, log) = (Latch(), LogRecorder())
        let reconciler = IntakeReconciler(
            queue: BrokenOffQueue(asked: asked), ledger: MemoryIntakeLedger(time: ManualTime().source),
            store: MemoryCaptureStore(time: ManualTime().source), bundles: MemoryBundleStore(), random: { 7 },
            outages: Outages(logger: log.logger), logger: log.logger)
        let running = Task { try await reconciler.run() }
        try await asked.waitUntilOpen()
        running.cancel()
        _ = await running.result
        #expect(log.lines == [])
    }

    @Test func `the reconciler says once that it does not get through, and once that it does again`() async throws {
        let (queue, recorder) = (StandingQueue(.success(.restored(StandingQueue.mark))), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        await ledger.fail(with: StoreError(.conflict, "canceling statement due to lock timeout"))
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger) { $0.interval = .milliseconds(1) }
        let running = Task { try await reconciler.run() }
        try await eventually { queue.count > 3 }
        await ledger.fail(with: nil)
        try await eventually { recorder.lines.count == 2 }
        running.cancel()
        _ = await running.result
        #expect(
            recorder.lines == [
                "warning the reconciler does not get through", "notice the reconciler gets through again",
            ])
        #expect(recorder.values(of: "fault").first?.contains("lock timeout") == true)
    }

    @Test func `a record that answers uploads and not the reconciler is told as what it is, and not as away`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.restored(StandingQueue.mark))), LogRecorder())
        let time = ManualTime()
        let (ledger, record) = (MemoryIntakeLedger(time: time.source), MemoryCaptureStore(time: time.source))
        let short = StoreError(.unavailable, "too many connections for role", serverCode: "53300")
        await ledger.fail(with: short)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) { () async throws in
            var configuration = IntakeReconciler.Configuration()
            configuration.interval = .milliseconds(1)
            let reconciler = IntakeReconciler(
                queue: queue, ledger: ledger, store: MemoryCaptureStore(time: time.source), record: record,
                bundles: MemoryBundleStore(), configuration: configuration, random: { 7 },
                outages: Outages(logger: recorder.logger), logger: recorder.logger, sleep: { _ in })
            let running = Task { try await reconciler.run() }
            try await eventually { queue.count > 3 }
            #expect(recorder.lines == ["warning the reconciler does not get through"])
            #expect(try Self.isPostgresUp(registry) == "1")
            // Nobody is answered any more.
            await record.fail(with: short)
            try await eventually { recorder.lines.count == 2 }
            #expect(recorder.lines.last == "error postgres is away; waiting for it")
            #expect(try Self.isPostgresUp(registry) == "0")
            running.cancel()
            _ = await running.result
        }
        #expect(recorder.values(of: "fault") == ["\(short)", "\(short)"])
    }

    /// It is no outage, and nobody else may need the key.
    @Test func `the reconciler says which damaged key keeps it from the only partition`() async throws {
        let damage = QueueError(.refused, "DAMAGED {cq:0}:restored is of another type")
        let (queue, recorder) = (StandingQueue(.success(.refused(damage))), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger) {
            ($0.interval, $0.grace) = (.milliseconds(1), .zero)
        }
        let running = Task { try await reconciler.run() }
        try await eventually { queue.count > 3 }
        queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
        try await eventually { recorder.lines.count == 2 }
        running.cancel()
        _ = await running.result
        #expect(
            recorder.lines == [
                "warning the reconciler does not get through", "notice the reconciler gets through again",
            ])
        #expect(recorder.values(of: "fault") == ["queue refused: \(damage.message)"])
    }

    @Test func `the reconciler sweeps and purges although a gateway that has stopped holds the lock`() async throws {
        let recorder = LogRecorder()
        let time = ManualTime()
        let ledger = MemoryIntakeLedger(time: time.source)
        var maker = SubmissionMaker(seed: 5)
        let upload = maker.submission(of: maker.device())
        _ = try await ledger.record([upload])
        await ledger.close([upload.id])
        time.advance(by: .seconds(1))
        let queue = StandingQueue(.success(.restored(StandingQueue.mark)))
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger) { $0.retention = .zero }
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
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger)
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
                "notice Redis or its functions were started anew: no capture was missing",
                "warning Redis or its functions were started anew: missing captures are in the queue again",
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
        let reconciler = Self.reconciler(queue, ledger, logger: recorder.logger)
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
        let reconciler = Self.reconciler(StandingQueue(.success(.restored(StandingQueue.mark))), ledger) {
            ($0.purgeMax, $0.retention) = (5, .zero)
        }
        var round = ReconcilerRound(IntakeReconciler.Configuration())
        try await reconciler.turn(&round)
        #expect(Set(try await ledger.accepted(uploads.map(\.id)).keys) == [uploads[0].id])
    }
}
