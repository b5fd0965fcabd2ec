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

    /// How many partitions refuse, as the metrics have it.
    private func refusing(_ registry: PrometheusRegistry) throws -> String? {
        try StrictExposition(registry.render()).value("capture_partitions_refused")
    }

    /// A device of a partition.
    private func device(_ number: Int, _ maker: inout SubmissionMaker, _ fixture: QueueFixture) -> DeviceID {
        var device = maker.device()
        while fixture.keyspace.partition(of: device).number != number { device = maker.device() }
        return device
    }

    @Test func `a refusing partition is told once, whatever the others do, and once when it is over`() async throws {
        let registry = PrometheusRegistry()
        try await QueueFixture.with(partitions: 2) { fixture in
            try await withMetricsFactory(registry) { () async throws in
                let recorder = LogRecorder(from: .notice)
                let queue = fixture.queue("a", logger: recorder.logger)
                var maker = SubmissionMaker(seed: 9)
                let healthy = device(0, &maker, fixture)
                try await damage(fixture.keyspace[1], fixture)
                #expect(try refusing(registry) == "0")
                for _ in 0..<3 {
                    try await fixture.upload(maker.submission(of: healthy))
                    #expect(try await queue.settle([queue.claimOne().settling()]) == [.settled])
                    let none = try await queue.claim(
                        lanesMax: 10, capturesPerLaneMax: 1, wait: .milliseconds(200))
                    #expect(none.isEmpty)
                }
                #expect(recorder.lines == ["error a partition refuses claims; its captures wait"])
                #expect(try refusing(registry) == "1")
                try await mend(fixture.keyspace[1], fixture)
                for _ in 0..<2 { #expect(try await queue.claimNow().isEmpty) }
                #expect(recorder.lines.dropFirst() == ["notice a partition answers claims again"])
                #expect(recorder.values(of: "partition") == ["1", "1"])
                #expect(try refusing(registry) == "0")
            }
        }
    }

    @Test(arguments: ["stats", "dead"])
    func `a refusing partition is left out of the load, told once, and once when it is over`(name: String)
        async throws
    {
        let registry = PrometheusRegistry()
        try await QueueFixture.with(partitions: 2) { fixture in
            try await withMetricsFactory(registry) { () async throws in
                let recorder = LogRecorder(from: .notice)
                let queue = fixture.queue("a", logger: recorder.logger)
                var maker = SubmissionMaker(seed: 11)
                let capture = maker.submission(of: device(0, &maker, fixture))
                try await fixture.upload(capture)
                let key = RedisArgument.string("{\(fixture.keyspace.queue):1}:\(name)")
                try await fixture.redis("SET", key, "x")
                for _ in 0..<2 { #expect(try await queue.load().captures == 1) }
                #expect(recorder.lines == ["error a partition refuses to tell how full it is, and is left out"])
                #expect(try refusing(registry) == "1")
                try await queue.setPaused(since: Timestamp.systemTime())
                #expect(try await queue.overview().load.isPaused)
                try await queue.setPaused(since: nil)
                #expect(try await !queue.load().isPaused)
                try await fixture.redis("DEL", key)
                for _ in 0..<2 { #expect(try await queue.load().captures == 1) }
                #expect(recorder.lines.dropFirst() == ["notice a partition tells how full it is again"])
                #expect(recorder.values(of: "partition") == ["1", "1"])
                #expect(try refusing(registry) == "0")
            }
        }
    }

    @Test func `a refusing partition is told once when it refuses the reconciler, and once when it is over`()
        async throws
    {
        let registry = PrometheusRegistry()
        try await QueueFixture.with(partitions: 2) { fixture in
            try await withMetricsFactory(registry) { () async throws in
                let recorder = LogRecorder(from: .notice)
                let queue = fixture.queue("a", logger: recorder.logger)
                try await fixture.redis("LPUSH", .string("{\(fixture.keyspace.queue):1}:restored"), "x")
                for _ in 0..<2 {
                    let refusals = try await queue.restorations().refusals
                    #expect(refusals.keys.elementsEqual([1]))
                    queue.note(refused: refusals)
                }
                #expect(recorder.lines == ["error a partition refuses the reconciler, and is left out"])
                #expect(try refusing(registry) == "1")
                for _ in 0..<2 { queue.note(refused: [:]) }
                #expect(recorder.lines.dropFirst() == ["notice a partition answers the reconciler again"])
                #expect(recorder.values(of: "partition") == ["1", "1"])
                #expect(try refusing(registry) == "0")
            }
        }
    }

    /// An action that is done and told as one that is not would be undone in the ledger.
    @Test func `a refusing partition hides from nobody that a dead letter of another one was discarded`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 14)
            let capture = maker.submission(of: device(0, &maker, fixture))
            try await fixture.upload(capture)
            let queue = fixture.queue("a")
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing)])
            let letter = try #require(try await queue.deadLetter(capture.id)).position
            try await fixture.redis("SET", .string("{\(fixture.keyspace.queue):1}:dead"), "x")
            #expect(try await queue.discard(letter))
            #expect(try await queue.status(of: capture.id, from: capture.device) == nil)
            await #expect(throws: QueueError(.refused, "")) { try await queue.discard(letter) }
        }
    }

    /// As after the number of partitions was raised, and the user of Redis has those before only.
    @Test func `a refusing partition, whose keys Redis forbids, keeps nobody from asking about captures in the others`()
        async throws
    {
        try await QueueFixture.withOwnServer(partitions: 2) { fixture in
            var maker = SubmissionMaker(seed: 12)
            let captures = [device(0, &maker, fixture), device(1, &maker, fixture)].map { maker.submission(of: $0) }
            for capture in captures { try await fixture.upload(capture) }
            let allowed = RedisArgument.string("~{\(fixture.keyspace.queue):0}:*")
            try await fixture.redis("ACL", "SETUSER", "default", "resetkeys", allowed)
            let queue = fixture.queue("a")
            #expect(try await queue.load().captures == 1)
            #expect(try await queue.overview().lastHour.accepted == 1)
            #expect(try await queue.status(of: [captures[0].id]).first??.state == .queued)
            // It may be there.
            await #expect(throws: QueueError(.refused, "")) { try await queue.status(of: captures.map(\.id)) }
            // If the device is known, only its partition is asked.
            let unknown = maker.submission(of: captures[0].device)
            #expect(try await queue.status(of: unknown.id, from: unknown.device) == nil)
            #expect(try await queue.status(of: captures[0].id, from: unknown.device)?.state == .queued)
            await #expect(throws: QueueError(.refused, "")) {
                try await queue.status(of: captures[1].id, from: captures[1].device)
            }
            // It cannot be paused everywhere, but it is wherever a worker may claim.
            await #expect(throws: QueueError(.refused, "")) { try await queue.setPaused(since: Timestamp.systemTime()) }
            #expect(try await queue.load().isPaused)
            #expect(try await queue.claimNow().isEmpty)
            await #expect(throws: QueueError(.refused, "")) { try await queue.setPaused(since: nil) }
            #expect(try await queue.claimOne().ids == [captures[0].id])
        }
    }

    @Test func `a refusing partition that is the only one refuses the load, and counts until Redis is away`()
        async throws
    {
        let registry = PrometheusRegistry()
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.redis("SET", .string(fixture.keyspace[0].stats), "x")
            try await RedisFixture.withClient(fixture.server.url) {
                $0.sendTimeout = .milliseconds(500)
                $0.reconnectGrace = .milliseconds(500)
            } _: { client in
                try await withMetricsFactory(registry) { () async throws in
                    let queue = RedisCaptureQueue(
                        client: client, keyspace: fixture.keyspace, consumer: "a", logger: fixture.logger)
                    // The short waits are for the server that is stopped below.
                    try await eventually { client.isConnected }
                    await #expect(throws: QueueError(.refused, "")) { try await queue.load() }
                    #expect(try refusing(registry) == "1")
                    try await fixture.server.stop()
                    let fault = await #expect(throws: QueueError.self) { try await queue.load() }
                    #expect(fault?.isTransient == true)
                    #expect(try refusing(registry) == "0")
                    try await fixture.server.restart()
                    try await eventually {
                        let fault = await #expect(throws: QueueError.self) { try await queue.load() }
                        return fault?.code == .refused
                    }
                    #expect(try refusing(registry) == "1")
                }
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
