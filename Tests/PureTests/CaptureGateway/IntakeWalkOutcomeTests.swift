import CaptureModel
import CaptureStore
import CoreMetrics
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What a walk over the ledger tells` {
    /// An alert stands on each one that is lost.
    @Test func `a walk over the ledger counts captures by what became of their bytes`() async throws {
        let ledger = MemoryIntakeLedger(time: ManualTime().source)
        let uploads = SubmissionMaker.submissions(3, seed: 9)
        _ = try await ledger.record(uploads)
        let queue = EmptiedQueue(partitions: 1, lost: [uploads[1].id])
        let registry = PrometheusRegistry()
        let progress = try await withMetricsFactory(registry) { try await queue.walk(ledger).restore([0]) }
        #expect(progress.restored == 3 && progress.lost == [uploads[1].id])
        let told = try StrictExposition(registry.render())
        for (bytes, count) in [("kept", "2"), ("lost", "1")] {
            #expect(told.value("capture_intake_restored_total", ["bytes": bytes]) == count, "\(bytes)")
        }
    }

    @Test func `the bytes of a dead letter that is put back once more are told apart from those of a lost capture`()
        async throws
    {
        let (ledger, recorder) = (MemoryIntakeLedger(time: ManualTime().source), LogRecorder())
        let uploads = SubmissionMaker.submissions(3, seed: 16)
        _ = try await ledger.record(uploads)
        try await ledger.noteDead([uploads[0].id])
        let queue = EmptiedQueue(partitions: 1, lost: [uploads[0].id, uploads[1].id])
        let registry = PrometheusRegistry()
        let walk = queue.walk(ledger, logger: recorder.logger)
        let progress = try await withMetricsFactory(registry) { try await walk.restore([0]) }
        #expect(progress.restored == 3 && progress.lost == [uploads[1].id])
        #expect(
            recorder.lines == [
                "error a dead letter is put back without its bytes",
                "error the bytes of an accepted capture are lost",
            ])
        #expect(recorder.values(of: "capture_id") == uploads[..<2].map { "\($0.id)" })
        let told = try StrictExposition(registry.render())
        for bytes in ["kept", "lost", "dead"] {
            #expect(told.value("capture_intake_restored_total", ["bytes": bytes]) == "1", "\(bytes)")
        }
    }
}
