import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A queue that refuses a worker for good", .timeLimit(.minutes(2)))
struct RefusedWorkerTests {
    @Test func `a queue that refuses a worker for good is told once for each duty, and once when it is over`()
        async throws
    {
        // Its own server: it counts calls.
        try await QueueFixture.withOwnServer { fixture in
            let keys = fixture.keyspace[0]
            for key in [keys.ready, keys.delayed] { try await fixture.redis("SET", .string(key), "something else") }
            let recorder = LogRecorder(from: .notice)
            let time = ManualTime()
            try await withWorker(
                of: fixture.queue(), bundles: MemoryBundleStore(named: .filesystem),
                store: MemoryCaptureStore(time: time.source),
                now: time.source, logger: recorder.logger
            ) {
                // Several rounds of every pipeline, and many looks for lanes that are put off, or whose workers are
                // silent.
                try await eventually {
                    let statistics = try await fixture.redis("INFO", "commandstats").string ?? ""
                    return statistics.contains(/cmdstat_fcall:calls=[0-9]{2,},/)
                }
                let refusals = [
                    "error claiming lanes is refused", "error making lanes ready again is refused",
                    "error taking lanes over is refused",
                ]
                #expect(recorder.lines.filter { $0.hasPrefix("error") }.sorted() == refusals)
                for key in [keys.ready, keys.delayed] { try await fixture.redis("DEL", .string(key)) }
                for duty in ["claiming lanes", "making lanes ready again", "taking lanes over"] {
                    try await eventually { recorder.lines.contains("notice \(duty) goes on") }
                }
                #expect(recorder.lines.count { $0.hasPrefix("error") } == 3)
            }
        }
    }
}
