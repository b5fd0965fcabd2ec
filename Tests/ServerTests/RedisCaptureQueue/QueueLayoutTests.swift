import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The worker looks for a capture's bytes in the partition that the device has by its number.
@Suite("No number of partitions is begun with while captures lie by another one", .timeLimit(.minutes(2)))
struct QueueLayoutTests {
    private func keyspace(_ partitions: Int, of fixture: QueueFixture) throws -> Keyspace {
        try #require(Keyspace(queue: fixture.keyspace.queue, partitions: partitions))
    }

    /// What a start with a number is refused for; `nil` if it is not.
    private func refusal(_ partitions: Int, _ fixture: QueueFixture) async throws -> String? {
        let keyspace = try self.keyspace(partitions, of: fixture)
        do throws(QueueError) {
            try await QueuePartitions.requireLayout(keyspace, on: fixture.client)
            return nil
        } catch {
            #expect(error.code == .refused && !error.isTransient, "\(error)")
            return error.message
        }
    }

    /// Uploads a capture of a device of each partition.
    private func fill(_ fixture: QueueFixture, _ maker: inout SubmissionMaker) async throws -> [CaptureSubmission] {
        var captures: [CaptureSubmission] = []
        for keys in fixture.keyspace.all {
            var device = maker.device()
            while fixture.keyspace.partition(of: device) != keys { device = maker.device() }
            captures.append(maker.submission(of: device))
        }
        for capture in captures { try await fixture.upload(capture) }
        return captures
    }

    /// Settles or gives up all that waits.
    private func empty(_ fixture: QueueFixture, burying: Bool = false) async throws {
        let queue = fixture.queue("worker")
        while case let leases = try await queue.claimNow(), !leases.isEmpty {
            let outcomes = try await queue.settle(leases.map { burying ? $0.burying() : $0.settling() })
            #expect(outcomes.allSatisfy { $0 == .settled }, "\(outcomes)")
        }
    }

    private func forgetNumber(_ fixture: QueueFixture) async throws {
        try await fixture.redis("HDEL", .string(fixture.keyspace[0].limits), "partitions")
    }

    @Test(arguments: [1, 2, 8, 1024])
    func `what waits or was given up keeps another number away, and an empty queue takes it`(
        partitions: Int
    ) async throws {
        try await QueueFixture.with(partitions: 4, backlogMax: 1010) { fixture in
            var maker = SubmissionMaker(seed: 70)
            #expect(try await refusal(partitions, fixture) == nil, "there is nothing yet")
            // Of each partition one that is in another by twice the number: enough of them make that sure.
            for _ in 0..<8 { _ = try await fill(fixture, &maker) }
            let waiting = try await refusal(partitions, fixture) ?? ""
            let beginning = "queue.partitions is \(partitions), and {\(fixture.keyspace.queue):"
            #expect(waiting.hasPrefix(beginning), "\(waiting)")
            #expect(waiting.contains("RUNBOOKS.md, \"Partitions\""), "\(waiting)")
            #expect(try await refusal(4, fixture) == nil, "the number may be lost alone")

            try await empty(fixture, burying: true)
            #expect(try await fixture.queue().load().captures == 0)
            #expect(try await refusal(partitions, fixture) != nil, "dead letters wait for somebody's decision")
            #expect(try await refusal(4, fixture) == nil)
            for keys in fixture.keyspace.all {
                for capture in try await fixture.redis("ZRANGE", .string(keys.dead), 0, -1).array ?? [] {
                    let id = try #require(capture.string.flatMap { CaptureID($0) })
                    #expect(try await fixture.queue().redrive(id, in: keys.number))
                }
            }
            try await empty(fixture)
            #expect(try await refusal(partitions, fixture) == nil)
        }
    }

    @Test func `a dead letter in a partition that there would not be any more is named`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            var maker = SubmissionMaker(seed: 71)
            let captures = try await fill(fixture, &maker)
            let last = try #require(captures.last)
            try await empty(fixture, burying: true)
            for keys in fixture.keyspace.all.dropLast() { try await fixture.redis("DEL", .string(keys.dead)) }
            let message = try await refusal(2, fixture) ?? ""
            #expect(message.contains("{\(fixture.keyspace.queue):3} has lanes or dead letters"), "\(message)")
            #expect(try await fixture.queue().redrive(last.id, from: last.device))
        }
    }

    @Test func `a number that is kept is not questioned, and costs one command`() async throws {
        try await QueueFixture.withOwnServer(partitions: 4) { fixture in
            var maker = SubmissionMaker(seed: 72)
            for _ in 0..<8 { _ = try await fill(fixture, &maker) }
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            try await fixture.redis("CONFIG", "RESETSTAT")
            #expect(try await refusal(4, fixture) == nil)
            // Another number is refused by the kept one.
            #expect(try await refusal(8, fixture) == nil)
            let calls = try await fixture.redis("INFO", "commandstats").string ?? ""
            #expect(calls.contains("cmdstat_hget:calls=2,") && !calls.contains("cmdstat_exists"), "\(calls)")
            try await forgetNumber(fixture)
            #expect(try await refusal(8, fixture) != nil)
        }
    }

    /// Whoever finds the queue empty may be second: the first one's number is kept.
    @Test func `of programs that begin at once with different numbers only those with one number go on`() async throws {
        try await QueueFixture.with { fixture in
            let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
                for partitions in [1, 2, 4, 8, 1, 2, 4, 8] {
                    let keyspace = try self.keyspace(partitions, of: fixture)
                    group.addTask {
                        do throws(QueueError) {
                            try await QueuePartitions.requireLayout(keyspace, on: fixture.client)
                            try await QueuePartitions.require(keyspace, on: fixture.client)
                            return partitions
                        } catch {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { numbers, number in
                    if let number { numbers[number, default: 0] += 1 }
                }
            }
            #expect(numbers.count == 1 && numbers.values.first == 2, "\(numbers)")
            let kept = try await QueuePartitions.field.read(fixture.keyspace, on: fixture.client)
            #expect(kept == numbers.keys.first)
        }
    }

    @Test func `lists that somebody has written over or damaged keep nobody from starting`() async throws {
        try await QueueFixture.with(partitions: 2) { fixture in
            let capture = try #require(CaptureID("01a1fc67-55f8-7b2b-980e-88715a91d3d7"))
            for keys in fixture.keyspace.all {
                try await fixture.redis("SET", .string(keys.heads), "x")
                try await fixture.redis("ZADD", .string(keys.dead), 1, "junk", 2, .string("\(capture)"))
            }
            try await fixture.redis("SET", .string(fixture.keyspace[0].job(capture)), "x")
            #expect(try await refusal(2, fixture) == nil)
        }
    }

    /// Otherwise it would stop some devices' captures, or come back with a later number.
    @Test func `a pause that is not the whole queue's by a number keeps that number away until it is over`()
        async throws
    {
        try await QueueFixture.with(partitions: 4) { fixture in
            func isTaken(_ partitions: Int) async throws -> Bool {
                let keyspace = try self.keyspace(partitions, of: fixture)
                do throws(QueueError) {
                    try await QueuePartitions.requirePause(keyspace, on: fixture.client)
                    return true
                } catch {
                    #expect(error.code == .refused && error.message.contains("capturectl resume"), "\(error)")
                    return false
                }
            }
            let queue = fixture.queue()
            try await queue.setPaused(since: Timestamp.systemTime())
            for (partitions, taken) in [(2, false), (4, true), (8, false)] {
                #expect(try await isTaken(partitions) == taken, "\(partitions)")
            }
            try await queue.setPaused(since: nil)
            for partitions in [2, 4, 8] { #expect(try await isTaken(partitions), "\(partitions)") }
            try await queue.setPaused(since: Timestamp.systemTime())
            try await QueuePartitions.require(fixture.keyspace, on: fixture.client)
            #expect(try await isTaken(4))
        }
    }
}
