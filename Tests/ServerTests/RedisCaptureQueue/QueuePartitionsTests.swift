import CaptureModel
import CaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite("All programs of a queue count the same partitions", .timeLimit(.minutes(2)))
struct QueuePartitionsTests {
    private func keyspace(_ partitions: Int) throws -> Keyspace {
        try #require(Keyspace(queue: "cq", partitions: partitions))
    }

    @Test func `the first number is kept, and another one refused until somebody takes it out`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let (four, one) = (try self.keyspace(4), try self.keyspace(1))
            #expect(try await QueuePartitions.field.read(four, on: fixture.client) == nil)
            try await QueuePartitions.require(four, on: fixture.client)
            try await QueuePartitions.require(four, on: fixture.client)
            let fault = await #expect(throws: QueueError.self) {
                try await QueuePartitions.require(one, on: fixture.client)
            }
            #expect(fault?.code == .refused && fault?.isTransient == false)
            #expect(fault?.message.contains("queue.partitions is 1, and the queue cq has 4") == true)
            // Another queue in the same server has its own.
            let other = try #require(Keyspace(queue: "other", partitions: 1))
            try await QueuePartitions.require(other, on: fixture.client)
            try await fixture.server.cli("HDEL", "{cq:0}:limits", "partitions")
            try await QueuePartitions.require(one, on: fixture.client)
        }
    }

    @Test func `a gateway keeps it again where Redis has lost it`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let queue = fixture.queue()
            try await fixture.server.cli("FLUSHALL")
            try await queue.applyLimits()
            let kept = try await QueuePartitions.field.read(queue.keyspace, on: fixture.client)
            #expect(kept == queue.keyspace.partitions)
        }
    }

    /// As after a change of the number, of which partition 0 alone was told by hand.
    @Test func `whoever starts tells it to every partition`() async throws {
        try await QueueFixture.withOwnServer(partitions: 4) { fixture in
            try await fixture.redis("HSET", .string(fixture.keyspace[1].limits), "partitions", 8)
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            for keys in fixture.keyspace.all {
                #expect(try await fixture.redis("HGET", .string(keys.limits), "partitions").int == 4)
            }
        }
    }

    /// Partitions beyond the last keep what they were told when there were more.
    @Test func `a partition that there is not any more takes no device`() async throws {
        try await QueueFixture.withOwnServer(partitions: 4) { fixture in
            let four = fixture.keyspace
            try await QueuePartitions.require(four, on: fixture.client)
            try await fixture.redis("HDEL", .string(four[0].limits), "partitions")
            let two = try #require(Keyspace(queue: four.queue, partitions: 2))
            try await QueuePartitions.require(two, on: fixture.client)
            var maker = SubmissionMaker(seed: 5)
            var refused: Set<Int> = []
            for _ in 0..<32 {
                let submission = maker.submission(of: maker.device())
                let partition = four.partition(of: submission.device).number
                let reply = try await fixture.client.pipeline([EnqueueCall(submission, keyspace: four).command])[0]
                guard partition >= 2 else {
                    #expect(reply.array?.first?.string == "accepted", "\(reply)")
                    continue
                }
                let expected = "INVALID device: belongs to partition \(partition - 2) of 2"
                #expect(reply.error?.message.hasPrefix(expected) == true, "\(reply)")
                refused.insert(partition)
            }
            #expect(refused == [2, 3])
        }
    }

    @Test func `the limits are told with the count of partitions, where they are missing only`() async throws {
        try await QueueFixture.withOwnServer(partitions: 2) { fixture in
            let queue = fixture.queue()
            let limits = fixture.keyspace.all.map { RedisArgument.string($0.limits) }
            #expect(try await queue.keepLimits())
            #expect(try await !queue.keepLimits())
            try await fixture.redis("HSET", limits[1], "bytes_max", 7)
            #expect(try await !queue.keepLimits())
            try await fixture.redis("DEL", limits[1])
            #expect(try await queue.keepLimits())
            for limit in ["photo_bytes_max", "depth_bytes_max", "captures_max"] {
                try await fixture.redis("HDEL", limits[1], .string(limit))
                #expect(try await queue.keepLimits(), "\(limit)")
            }
            let sizes = try await fixture.redis("HMGET", limits[1], "photo_bytes_max", "depth_bytes_max").array
            #expect(sizes?.map(\.int) == [queue.configuration.photoBytesMax, queue.configuration.depthBytesMax])
            let found = try await fixture.redis("HMGET", limits[1], "bytes_max", "captures_max", "partitions").array
            #expect(found?.map(\.int) == [queue.configuration.bytesMax / 2, queue.configuration.capturesMax / 2, 2])
        }
    }

    @Test func `a gateway that counts otherwise sets no limits and leaves the number as it is`() async throws {
        try await QueueFixture.withOwnServer(partitions: 4) { fixture in
            let eight = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 8))
            let limits = RedisArgument.string(fixture.keyspace[0].limits)
            try await fixture.redis("DEL", limits)
            try await QueuePartitions.require(eight, on: fixture.client)
            let fault = await #expect(throws: QueueError.self) { try await fixture.queue().applyLimits() }
            #expect(fault?.code == .refused)
            #expect(try await QueuePartitions.field.read(eight, on: fixture.client) == 8)
            #expect(try await fixture.redis("HEXISTS", limits, "bytes_max").int == 0)
        }
    }

    @Test func `a full Redis that does not take the number of partitions keeps nobody from starting`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let (four, one) = (try self.keyspace(4), try self.keyspace(1))
            try await fixture.server.cli("HDEL", "{cq:0}:limits", "partitions")
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            try await QueuePartitions.require(four, on: fixture.client)
            #expect(try await QueuePartitions.field.read(four, on: fixture.client) == nil)
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
            try await QueuePartitions.require(four, on: fixture.client)
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            try await QueuePartitions.require(four, on: fixture.client)
            await #expect(throws: QueueError.self) { try await QueuePartitions.require(one, on: fixture.client) }
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
        }
    }
}
