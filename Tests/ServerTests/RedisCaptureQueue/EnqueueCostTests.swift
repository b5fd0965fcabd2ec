import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// What enqueuing a capture costs Redis, which does nothing else meanwhile.
@Suite("The cost of enqueuing", .timeLimit(.minutes(2)))
struct EnqueueCostTests {
    /// How often a command was called since the counts began anew, in functions, too.
    private func calls(of command: String, in statistics: String) -> Int {
        let prefix = "cmdstat_\(command):calls="
        guard let line = statistics.split(separator: "\r\n").first(where: { $0.hasPrefix(prefix) }) else { return 0 }
        return Int(line.dropFirst(prefix.count).prefix { $0 != "," }) ?? 0
    }

    @Test func `of what a capture needs nothing is asked twice`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 71)
            let device = maker.device()
            // The first capture makes the keys that later ones find.
            try await fixture.upload(maker.submission(of: device))
            let submission = maker.submission(of: device)
            let keys = fixture.keyspace.partition(of: device)
            try await fixture.redis("SET", .string(keys.photo(submission.id)), "abc", "EX", 60)
            try await fixture.redis("SET", .string(keys.depth(submission.id)), "de", "EX", 60)
            try await fixture.redis("CONFIG", "RESETSTAT")
            let call = EnqueueCall(submission, keyspace: fixture.keyspace).withoutBytes
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            let statistics = try await fixture.redis("INFO", "commandstats").string ?? ""
            #expect(calls(of: "exists", in: statistics) == 1, "whether the capture is known")
            #expect(calls(of: "strlen", in: statistics) == 2, "photo and depth map")
            #expect(calls(of: "llen", in: statistics) == 1, "the lane")
            #expect(calls(of: "type", in: statistics) == 4, "the partition's other keys")
        }
    }

    /// The functions work out the slots in another way than programs do.
    @Test func `a device's partition is the same to the functions and to programs`() async throws {
        try await QueueFixture.with { fixture in
            let count = Keyspace.partitionsRange.upperBound
            let many = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: count))
            let limits = fixture.keyspace.all[0].limits
            try await fixture.redis("HSET", .string(limits), "partitions", .integer(count))
            var maker = SubmissionMaker(seed: 72)
            for _ in 0..<64 {
                let submission = maker.submission(of: maker.device())
                let number = many.partition(of: submission.device).number
                guard number != 0 else { continue }
                let call = EnqueueCall(submission, keyspace: fixture.keyspace)
                let reply = try await fixture.client.pipeline([call.command])[0]
                let refusal = "INVALID device: belongs to partition \(number) of \(count)"
                #expect(reply.error?.message.hasPrefix(refusal) == true, "\(reply)")
            }
        }
    }

    /// No slot is worked out then.
    @Test func `with one partition every device is in the first`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), "partitions", 1)
            var maker = SubmissionMaker(seed: 73)
            for _ in 0..<16 {
                let submission = maker.submission(of: maker.device())
                let call = EnqueueCall(submission, keyspace: fixture.keyspace)
                let reply = try await fixture.client.pipeline([call.command])[0]
                if fixture.keyspace.partition(of: submission.device).number == 0 {
                    #expect(reply.array?.first?.string == "accepted", "\(reply)")
                } else {
                    #expect(reply.error?.message == "INVALID device: belongs to partition 0 of 1", "\(reply)")
                }
            }
        }
    }
}
