import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// A gateway tells its app to send a capture again when a key is damaged, and to give up an upload that is at fault.
@Suite("A limit that is damaged in Redis", .timeLimit(.minutes(2)))
struct DamagedLimitsTests {
    private static let limits = [
        "captures_max", "bytes_max", "device_captures_max", "device_bytes_max", "photo_bytes_max", "depth_bytes_max",
        "partitions",
    ]

    @Test(arguments: limits, ["abc", "nan", "inf", "0", "-1", "0.5", "1e300", ""])
    func `a damaged limit is named, nothing is kept, and a gateway that runs sets it again`(
        name: String, value: String
    ) async throws {
        try await QueueFixture.with { fixture in
            let (queue, limits) = (fixture.queue(), fixture.keyspace[0].limits)
            try await queue.applyLimits()
            try await fixture.redis("HSET", .string(limits), .string(name), .string(value))
            var maker = SubmissionMaker(seed: 150)
            let call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            let reply = try await fixture.client.pipeline([call.command])[0]
            let words = "DAMAGED \(limits) has no whole number from 1 in \(name)"
            #expect(reply.error?.message == words, "\(reply)")
            #expect(try await fixture.keys() == [limits])
            #expect(try await queue.load().captures == 0)
            #expect(try await queue.keepLimits())
            #expect(try await !queue.keepLimits())
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
        }
    }

    @Test func `a damaged number of partitions in the first one is named where a device of another is enqueued`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            try await fixture.queue().applyLimits()
            let first = fixture.keyspace[0].limits
            try await fixture.redis("HSET", .string(first), "partitions", "0")
            var maker = SubmissionMaker(seed: 151)
            var device = maker.device()
            while fixture.keyspace.partition(of: device).number != 1 { device = maker.device() }
            let capture = maker.submission(of: device)
            let fault = await #expect(throws: QueueError.self) { try await fixture.queue().enqueue(capture) }
            #expect(fault?.damagedKey == first, "\(String(describing: fault))")
        }
    }

    @Test(arguments: ["stats", "limits", "dead", "delayed", "heads", "ready"])
    func `a damaged key is named to who asks how full the queue is`(name: String) async throws {
        try await QueueFixture.with { fixture in
            let key = "{\(fixture.keyspace.queue):0}:\(name)"
            try await fixture.redis("SET", .string(key), "x")
            let fault = await #expect(throws: QueueError.self) { _ = try await fixture.queue().load() }
            #expect(fault?.code == .refused && fault?.damagedKey == key, "\(String(describing: fault))")
        }
    }

    @Test func `a damaged list of workers is named to who asks for the overview`() async throws {
        try await QueueFixture.with { fixture in
            let key = fixture.keyspace[0].workers
            try await fixture.redis("SET", .string(key), "x")
            let fault = await #expect(throws: QueueError.self) { _ = try await fixture.queue().overview() }
            #expect(fault?.code == .refused && fault?.damagedKey == key, "\(String(describing: fault))")
        }
    }

    /// As a comparison with no number is never true.
    @Test func `a damaged count of what waits fills nothing`() async throws {
        try await QueueFixture.with { fixture in
            let keys = fixture.keyspace[0]
            try await fixture.redis("HSET", .string(keys.stats), "queued", "nan", "bytes", "nan")
            let capture = SubmissionMaker.submission(seed: 152)
            try await fixture.redis("HSET", .string(keys.laneBytes), .string("\(capture.device)"), "nan")
            #expect(try await fixture.queue().load().bytes == 0)
            #expect(try await fixture.upload(capture) == .accepted)
        }
    }
}
