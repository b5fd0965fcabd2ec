import CaptureModel
import CaptureQueue
import CoreMetrics
import Logging
import Observability
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A partition that refuses claims", .timeLimit(.minutes(2)))
struct PartitionRefusalTests {
    /// Makes claims in a partition fail that have no stream of tokens yet.
    private func damage(_ keys: PartitionKeys, _ fixture: QueueFixture) async throws {
        try await fixture.redis("SET", .string(keys.delayed), "x")
    }

    private func mend(_ keys: PartitionKeys, _ fixture: QueueFixture) async throws {
        try await fixture.redis("DEL", .string(keys.delayed))
    }

    /// A device of a partition.
    private func device(_ number: Int, _ maker: inout SubmissionMaker, _ fixture: QueueFixture) -> DeviceID {
        var device = maker.device()
        while fixture.keyspace.partition(of: device).number != number { device = maker.device() }
        return device
    }

    @Test func `a refusing partition is told once, whatever the others do, and once when it is over`() async throws {
        let registry = PrometheusRegistry()
        func refusing() throws -> String? {
            try StrictExposition(registry.render()).value("capture_partitions_refused")
        }
        try await QueueFixture.with(partitions: 2) { fixture in
            try await withMetricsFactory(registry) { () async throws in
                let recorder = LogRecorder(from: .notice)
                let queue = RedisCaptureQueue(
                    client: fixture.client, keyspace: fixture.keyspace, configuration: fixture.configuration,
                    consumer: "a", logger: recorder.logger)
                var maker = SubmissionMaker(seed: 9)
                let healthy = device(0, &maker, fixture)
                try await damage(fixture.keyspace[1], fixture)
                #expect(try refusing() == "0")
                for _ in 0..<3 {
                    try await fixture.upload(maker.submission(of: healthy))
                    #expect(try await queue.settle([queue.claimOne().settling()]) == [.settled])
                    let none = try await queue.claim(
                        lanesMax: 10, capturesPerLaneMax: 1, wait: .milliseconds(200))
                    #expect(none.isEmpty)
                }
                #expect(recorder.lines == ["error a partition refuses claims; its captures wait"])
                #expect(try refusing() == "1")
                try await mend(fixture.keyspace[1], fixture)
                for _ in 0..<2 { #expect(try await queue.claimNow().isEmpty) }
                #expect(recorder.lines.dropFirst() == ["notice a partition answers claims again"])
                #expect(recorder.values(of: "partition") == ["1", "1"])
                #expect(try refusing() == "0")
            }
        }
    }

    @Test func `a refusing partition is asked for the tokens that a refused claim was given, once it answers again`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            let keys = fixture.keyspace[1]
            var maker = SubmissionMaker(seed: 10)
            let queue = fixture.queue("a")
            try await damage(keys, fixture)
            for _ in 0..<2 { #expect(try await queue.claimNow().isEmpty) }
            try await mend(keys, fixture)
            let capture = maker.submission(of: device(1, &maker, fixture))
            try await fixture.upload(capture)
            let ready = RedisArgument.string(keys.ready)
            try await fixture.redis("XGROUP", "CREATE", ready, "workers", 0)
            try await fixture.redis("XREADGROUP", "GROUP", "workers", "a", "STREAMS", ready, ">")
            #expect(try await queue.claimNow().isEmpty)
            #expect(try await queue.claimOne().ids == [capture.id])
        }
    }

    @Test func `a refusing partition fails the claim if no other answers`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            for keys in fixture.keyspace.all { try await damage(keys, fixture) }
            let queue = fixture.queue("a")
            for _ in 0..<2 {
                await #expect(throws: QueueError(.refused, "")) { _ = try await queue.claimNow() }
            }
        }
    }
}
