import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Keys of another kind than they should be, as somebody has written them by hand, stop one lane and no worker, if they
/// are a lane's or a capture's own.
@Suite("A key that is damaged in Redis", .timeLimit(.minutes(2)))
struct DamagedKeysTests {
    /// Uploads a capture each of two devices.
    private func upload(_ seed: UInt64, _ fixture: QueueFixture) async throws -> [CaptureSubmission] {
        let captures = SubmissionMaker.submissions(2, seed: seed)
        for capture in captures { try await fixture.upload(capture) }
        return captures
    }

    /// Makes a text of a capture's lane.
    private func damageLane(of capture: CaptureSubmission, _ fixture: QueueFixture) async throws {
        let key = fixture.keyspace.partition(of: capture.device).lane(capture.device)
        try await fixture.redis("SET", .string(key), "x")
    }

    private func expectPutOff(
        _ capture: CaptureSubmission, _ fixture: QueueFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let keys = fixture.keyspace.partition(of: capture.device)
        let due = try await fixture.redis("ZSCORE", .string(keys.delayed), .string("\(capture.device)"))
        let now = try await fixture.queue().serverTime()
        let delay = (Int(due.string ?? "") ?? 0) - Int(now.millisecondsSince1970)
        #expect(delay > 0 && delay <= 60_000, sourceLocation: sourceLocation)
    }

    /// A key that a capture and its token are written to.
    enum NeededKey: String, CaseIterable, Sendable {
        case ready, heads, delayed, laneBytes, lane

        func name(_ keys: PartitionKeys, _ device: DeviceID) -> String {
            switch self {
            case .ready: keys.ready
            case .heads: keys.heads
            case .delayed: keys.delayed
            case .laneBytes: keys.laneBytes
            case .lane: keys.lane(device)
            }
        }
    }

    /// Otherwise a second call would be told that the capture is accepted, which no worker would ever find.
    @Test(arguments: NeededKey.allCases)
    func `a damaged key that a capture needs keeps it out as a whole`(key: NeededKey) async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 12)
            let damaged = key.name(fixture.keyspace.partition(of: capture.device), capture.device)
            try await fixture.redis("SET", .string(damaged), "x")
            let call = EnqueueCall(capture, keyspace: fixture.keyspace)
            for _ in 0..<2 {
                let reply = try await fixture.client.pipeline([call.command]).first
                #expect(reply?.error?.message.hasPrefix("DAMAGED \(damaged)") == true, "\(String(describing: reply))")
                #expect(try await fixture.keys() == [damaged])
            }
            try await fixture.redis("DEL", .string(damaged))
            #expect(try await fixture.client.send(call.command).array?.first?.string == "accepted")
            #expect(try await fixture.queue().claimOne().ids == [capture.id])
        }
    }

    /// Gateways with a ledger know by the code that a key is damaged, and put the upload off.
    @Test func `a damaged mark of the restoration is told with the code of Redis`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 99)
            let partition = fixture.keyspace.partition(of: capture.device)
            try await fixture.redis("RPUSH", .string(partition.ready.replacing(":ready", with: ":restored")), "x")
            var call = EnqueueCall(capture, keyspace: fixture.keyspace)
            call.arguments.append(("ledger", "1"))
            let reply = try await fixture.client.pipeline([call.command])[0]
            #expect(reply.error?.prefix == "WRONGTYPE", "\(reply)")
        }
    }

    @Test func `a damaged key that is a lane puts it off, with an alarm, and others are claimed`() async throws {
        try await QueueFixture.with { fixture in
            let captures = try await upload(1, fixture)
            try await damageLane(of: captures[0], fixture)
            let recorder = LogRecorder()
            let queue = fixture.queue(logger: recorder.logger)
            #expect(try await queue.claimNow().flatMap(\.ids) == [captures[1].id])
            #expect(recorder.lines.contains { $0.contains("a lane cannot be worked and is put off for a minute") })
            try await expectPutOff(captures[0], fixture)
            let later = try await upload(2, fixture)
            #expect(try await Set(queue.claimNow().flatMap(\.ids)) == Set(later.map(\.id)))
        }
    }

    @Test func `a damaged key that is a lane whose claim's answer was lost keeps nobody from the others`() async throws
    {
        try await QueueFixture.with { fixture in
            let captures = try await upload(3, fixture)
            #expect(try await fixture.queue().claimNow().count == 2)
            try await damageLane(of: captures[0], fixture)
            // The consumer's name again, and none of what it held.
            #expect(try await fixture.queue().claimNow().flatMap(\.ids) == [captures[1].id])
            try await expectPutOff(captures[0], fixture)
        }
    }

    @Test func `a damaged key that is a lane keeps no worker from taking over, or from giving up, the others`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let captures = try await upload(4, fixture)
            #expect(try await fixture.queue("lost").claimNow().count == 2)
            try await damageLane(of: captures[0], fixture)
            try await fixture.passTime()
            let heir = fixture.queue("heir")
            #expect(try await heir.takeOver()?.ids == [captures[1].id])
            try await expectPutOff(captures[0], fixture)
            let later = try await upload(5, fixture)
            #expect(try await heir.claimNow().count == 2)
            try await damageLane(of: later[0], fixture)
            let surrenders = heir.surrenders(of: [], fault: "it did not end")
            try #require(surrenders.count == 1)
            #expect(try await fixture.client.send(surrenders[0]) == .integer(3))
            try await expectPutOff(later[0], fixture)
            let keys = fixture.keyspace.partition(of: later[1].device)
            #expect(try await fixture.redis("XLEN", .string(keys.ready)).int == 0)
        }
    }

    @Test func `a damaged key that is a lane keeps no worker from leaving, nor from settling the others`() async throws
    {
        try await QueueFixture.with { fixture in
            let captures = try await upload(6, fixture)
            let queue = fixture.queue()
            let leases = try await queue.claimNow()
            try await damageLane(of: captures[0], fixture)
            let outcomes = try await queue.settle(leases.map { $0.settling() })
            #expect(leases.count == 2 && outcomes.count == 2)
            #expect(zip(leases, outcomes).allSatisfy { ($0.ids == [captures[1].id]) == ($1 == .settled) })
            #expect(try await queue.leave() == 1)
            try await expectPutOff(captures[0], fixture)
            #expect(try await queue.status(of: [captures[1].id]).first??.state == .verified)
        }
    }

    @Test func `a damaged list of workers keeps no worker from leaving and handing back its lanes`() async throws {
        try await QueueFixture.with { fixture in
            let captures = try await upload(7, fixture)
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            #expect(try await queue.claimNow().count == 2)
            try await fixture.redis("SET", .string(keys.workers), "x")
            #expect(try await queue.leave() == 2)
            let consumers = try await fixture.redis("XINFO", "CONSUMERS", .string(keys.ready), "workers")
            #expect(consumers.array?.isEmpty == true)
            #expect(try await queue.status(of: captures.map(\.id)).allSatisfy { $0?.state == .queued })
        }
    }

    /// A capture that leaves the list of dead letters and reaches no lane would be in no list.
    @Test(arguments: ["lane", "ready", "heads", "delayed", "lane_bytes"])
    func `a damaged key keeps a dead letter where it is, and it is put back once the key is right again`(name: String)
        async throws
    {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 9)
            try await fixture.upload(capture)
            let (queue, keys) = (fixture.queue(), fixture.keyspace[0])
            _ = try await queue.settle([try await queue.claimOne().burying()])
            let all = [
                "lane": keys.lane(capture.device), "ready": keys.ready, "heads": keys.heads, "delayed": keys.delayed,
                "lane_bytes": keys.laneBytes,
            ]
            let key = RedisArgument.string(try #require(all[name]))
            try await fixture.redis("DEL", key)
            try await fixture.redis("SET", key, "x")
            await #expect(throws: QueueError(.refused, "")) { try await queue.redrive(capture.id) }
            let letter = try #require(try await queue.deadLetter(capture.id))
            #expect(letter.status.state == .failed && letter.status.reason == .internal)
            try await fixture.redis("DEL", key)
            #expect(try await queue.redrive(capture.id))
            #expect(try await queue.claimOne().ids == [capture.id])
        }
    }

    @Test func `a damaged key refuses the lost bytes of a dead letter, and the next call puts it back`() async throws {
        try await QueueFixture.with { fixture in
            let capture = SubmissionMaker.submission(seed: 13)
            try await fixture.upload(capture)
            let (queue, heads) = (fixture.queue(), RedisArgument.string(fixture.keyspace[0].heads))
            _ = try await queue.settle([try await queue.claimOne().burying(.bundleMissing)])
            try await fixture.redis("SET", heads, "x")
            await #expect(throws: QueueError(.refused, "")) { try await queue.enqueue(capture) }
            #expect(try await queue.deadLetter(capture.id) != nil)
            try await fixture.redis("DEL", heads)
            #expect(try await queue.enqueue(capture) == .accepted)
            #expect(try await queue.claimOne().ids == [capture.id])
        }
    }

    @Test func `a damaged key that is the stream of tokens refuses a claim, and is not taken for one without tokens`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let ready = fixture.keyspace[0].ready
            try await fixture.redis("SET", .string(ready), "x")
            let fault = await #expect(throws: RedisError.self) {
                try await fixture.redis("FCALL", "capture_claim_v1", 1, .string(ready), "a", 1, 1)
            }
            #expect(fault?.serverPrefix == "DAMAGED")
        }
    }
}
