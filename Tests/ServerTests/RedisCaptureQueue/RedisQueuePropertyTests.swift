import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Random interleavings of everything that may happen, on a real server that also loses its functions.
@Suite(.timeLimit(.minutes(5)))
struct RedisQueuePropertyTests {
    @Test(arguments: [1, 4])
    func `every step of a random run keeps what was accepted, in order and under one token`(
        partitions: Int
    ) async throws {
        let seed = testSeed("redis queue")
        // Its own server: it flushes the functions.
        let server = try await PrivateRedis.start(["--appendfsync", "no"])
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 3
        // Every token counts as lapsed: crashes need no waiting.
        configuration.leaseDuration = .zero
        try await QueueFixture.with(server, partitions: partitions, configuration: configuration) { fixture in
            let run = RedisQueueRun(fixture: fixture, seed: seed)
            for step in 0..<600 {
                try await run.step()
                let faults = try await run.faults()
                #expect(faults.isEmpty, "seed \(seed), step \(step): \(faults.joined(separator: "; "))")
                guard faults.isEmpty else { return }
            }
            try await run.finish()
            let faults = try await run.faults() + run.leftovers()
            #expect(faults.isEmpty, "seed \(seed), at the end: \(faults.joined(separator: "; "))")
        }
        try await server.stop()
    }
}
