import CaptureQueue
import CaptureStore
import CoreMetrics
import Observability
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What holds the reconciler up` {
    private static func isPostgresUp(_ registry: PrometheusRegistry) throws -> String? {
        try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "postgres"])
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

    /// Waits until the reconciler has told that it is held up, and that it goes on, and ends it.
    private func expectHoldUp(in recorder: LogRecorder, of running: Task<Void, any Error>) async throws {
        try await eventually { recorder.lines.count == 2 }
        running.cancel()
        _ = await running.result
        #expect(
            recorder.lines == [
                "warning the reconciler does not get through", "notice the reconciler gets through again",
            ])
    }

    @Test func `the reconciler says once that it does not get through, and once that it does again`() async throws {
        let (queue, recorder) = (StandingQueue(.success(.restored(StandingQueue.mark))), LogRecorder())
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        await ledger.fail(with: StoreError(.conflict, "canceling statement due to lock timeout"))
        let reconciler = queue.reconciler(ledger, logger: recorder.logger) { $0.interval = .milliseconds(1) }
        let running = Task { try await reconciler.run() }
        try await eventually { queue.count > 3 }
        await ledger.fail(with: nil)
        try await expectHoldUp(in: recorder, of: running)
        #expect(recorder.values(of: "fault").first?.contains("lock timeout") == true)
    }

    @Test func `a record that answers uploads and not the reconciler is told as what it is, and not as away`()
        async throws
    {
        let (queue, recorder) = (StandingQueue(.success(.restored(StandingQueue.mark))), LogRecorder())
        let time = ManualTime()
        let (ledger, uploadStore) = (MemoryIntakeLedger(time: time.source), MemoryCaptureStore(time: time.source))
        let short = StoreError(.unavailable, "too many connections for role", serverCode: "53300")
        await ledger.fail(with: short)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) { () async throws in
            var configuration = IntakeReconciler.Configuration()
            configuration.interval = .milliseconds(1)
            let reconciler = IntakeReconciler(
                queue: queue, ledger: ledger, store: MemoryCaptureStore(time: time.source), uploadStore: uploadStore,
                bundles: MemoryBundleStore(), configuration: configuration, random: { 7 },
                outages: Outages(logger: recorder.logger), logger: recorder.logger, sleep: { _ in })
            let running = Task { try await reconciler.run() }
            try await eventually { queue.count > 3 }
            #expect(recorder.lines == ["warning the reconciler does not get through"])
            #expect(try Self.isPostgresUp(registry) == "1")
            // Nobody is answered any more.
            await uploadStore.fail(with: short)
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
        let reconciler = queue.reconciler(ledger, logger: recorder.logger) {
            ($0.interval, $0.grace) = (.milliseconds(1), .zero)
        }
        let running = Task { try await reconciler.run() }
        try await eventually { queue.count > 3 }
        queue.restoration.withLock { $0 = .success(.restored(StandingQueue.mark)) }
        try await expectHoldUp(in: recorder, of: running)
        #expect(recorder.values(of: "fault") == ["queue refused: \(damage.message)"])
    }
}
