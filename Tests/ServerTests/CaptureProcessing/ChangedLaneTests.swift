import CaptureModel
import CaptureQueue
import CoreMetrics
import NIOCore
import Observability
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A lane that is changed by hand while it is worked", .timeLimit(.minutes(2)))
struct ChangedLaneTests {
    /// Nobody has taken it over, as the metric and the log said before.
    @Test func `a lane that is changed by hand while it is worked is left to its lease`() async throws {
        try await QueueFixture.with { fixture in
            let queue = fixture.queue()
            let bundles = MemoryBundleStore(named: .filesystem)
            let capture = SubmissionMaker.submission(seed: 96, bundleStore: .filesystem)
            try await bundles.put(
                CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])), of: capture)
            #expect(try await queue.enqueue(capture) == .accepted)
            let lane = fixture.keyspace.partition(of: capture.device).lane(capture.device)
            let time = ManualTime()
            let store = ActingStore(MemoryCaptureStore(time: time.source), before: .settle) {
                try await fixture.redis("LPOP", .string(lane))
            }
            let (registry, recorder) = (PrometheusRegistry(), LogRecorder())
            try await withMetricsFactory(registry) { () async throws in
                try await withWorker(
                    of: queue, bundles: bundles, store: store, now: time.source, logger: recorder.logger
                ) {
                    try await eventually { recorder.lines.contains("error lanes are left to their leases") }
                }
            }
            #expect(!recorder.lines.contains("notice lanes had been taken over by then"))
            let lost = try StrictExposition(registry.render()).value("capture_leases_lost_total")
            #expect(lost == nil || lost == "0")
        }
    }
}
