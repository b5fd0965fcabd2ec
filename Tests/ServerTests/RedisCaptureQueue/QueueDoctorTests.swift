import CaptureModel
import CaptureQueue
import DeviceSimulator
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("The doctor of the queue", .timeLimit(.minutes(3)))
struct QueueDoctorTests {
    private static let rules: MendingRules = {
        var rules = MendingRules()
        rules.orphanAge = .milliseconds(1)
        return rules
    }()

    @Test func `the doctor finds nothing in a queue in which everything occurs`() async throws {
        try await QueueFixture.with { fixture in
            _ = try await QueueWard(fixture)
            let examination = try await QueueDoctor(queue: fixture.queue()).examine()
            #expect(examination.findings == [])
            #expect(examination.waiting.count == 6 && examination.failed.count == 1 && examination.lanes == 3)
            #expect(examination.consumers.map(\.lanes) == [1] && examination.countersCompared)
        }
    }

    @Test func `the doctor finds nothing in an empty queue`() async throws {
        try await QueueFixture.with(partitions: 4) { fixture in
            let examination = try await QueueDoctor(queue: fixture.queue()).examine()
            #expect(examination.findings == [])
        }
    }

    @Test(arguments: Injury.all)
    func `the doctor finds exactly what was broken by hand, and mends it`(injury: Injury) async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            try await injury.inflict(ward)
            let doctor = QueueDoctor(queue: fixture.queue())
            let before = try await doctor.examine()
            #expect(Set(before.findings.map(\.fault)) == injury.faults)
            let again = try await doctor.examine()
            // Which walk finds a fault first is chance, and so is the hint.
            let seen = [before, again].map { $0.findings.map { [$0.fault.rawValue, $0.subject] } }
            #expect(seen[0] == seen[1], "looking changes nothing")

            var between = before
            // The first mending may uncover a lane that needs a token.
            for _ in 0..<2 {
                _ = try await doctor.mend(between.findings, Self.rules)
                between = try await doctor.examine()
            }
            #expect(try await doctor.recount(between))
            let after = try await doctor.examine()
            #expect(Set(after.findings.map(\.fault)) == injury.incurable)
            let missing = Set((ward.waiting + ward.held + [ward.delayed, ward.dead]).map(\.id))
                .subtracting(after.waiting).subtracting(after.failed)
            #expect(injury.incurable == [.jobUnreadable] || missing.isEmpty, "no accepted capture is gone")
        }
    }

    @Test func `the doctor mends more of a kind than it asks about at once`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 21)
            let keys = fixture.keyspace[0]
            let count = 60
            for _ in 0..<count { try await fixture.upload(maker.submission(of: maker.device())) }
            try await fixture.redis("DEL", .string(keys.ready))
            for _ in 0..<count {
                let stranger = maker.submission(of: maker.device())
                try await fixture.redis("RPUSH", .string(keys.lane(stranger.device)), .string("\(stranger.id)"))
                try await fixture.redis("XADD", .string(keys.ready), "*", "what", "ever")
                try await fixture.redis(
                    "SET", .string(keys.accepted(stranger.bundleDigest)),
                    .string("\(maker.submission(of: stranger.device).id)"))
            }
            let doctor = QueueDoctor(queue: fixture.queue())
            let mended = try await doctor.mend(try await doctor.examine().findings)
            let counts = Dictionary(grouping: mended, by: \.fault).mapValues(\.count)
            #expect(
                counts == [
                    .laneWithoutToken: count, .laneEntryWithoutJob: count, .tokenWithoutDevice: count,
                    .bundleOfNothing: count,
                ])
            #expect(try await doctor.recount(try await doctor.examine()))
            let after = try await doctor.examine()
            #expect(after.findings == [] && after.waiting.count == count && after.failed.count == count)
        }
    }

    @Test func `the doctor leaves alone what is left once it is told to stop`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 23)
            for _ in 0..<60 { try await fixture.upload(maker.submission(of: maker.device())) }
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            let doctor = QueueDoctor(queue: fixture.queue())
            #expect(try await doctor.examine(until: { true }).isWhole == false)
            let examination = try await doctor.examine()
            #expect(examination.isWhole && examination.findings.count == 60)
            var mending = Mending()
            try await doctor.mend(examination.findings, into: &mending, until: { true })
            #expect(mending.mended == [])
            // Asked before the partition, before its lanes, and before each page of them.
            var asked = 0
            try await doctor.mend(
                examination.findings, into: &mending,
                until: {
                    asked += 1
                    return asked > 3
                })
            #expect(mending.mended.count == 50 && mending.unknown == [])
            #expect(try await doctor.examine().findings.count == 10)
        }
    }

    @Test func `the doctor takes off a list of dead letters, page by page, all that are none`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            for first in stride(from: 0, to: 5_000, by: 500) {
                let members = (first..<first + 500).flatMap { [RedisArgument.integer($0), .string("junk \($0)")] }
                _ = try await fixture.client.send(RedisCommand("ZADD", [.string(ward.keys.dead)] + members))
            }
            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(found.map(\.fault) == [.deadEntryWithoutCapture])
            #expect(try await doctor.mend(found) == found)
            #expect(try await fixture.redis("ZCARD", .string(ward.keys.dead)).int == 1)
            let after = try await doctor.examine()
            #expect(after.findings == [] && after.failed == [ward.dead.id])
        }
    }

    /// Whatever goes through a lane for each of its captures makes a long one cost the square of its length.
    @Test func `the doctor goes through a long lane a few times, however many captures are in it`() async throws {
        // Its own server: it counts commands.
        try await QueueFixture.withOwnServer(["--appendfsync", "no"]) { fixture in
            var maker = SubmissionMaker(seed: 22)
            let (device, keys) = (maker.device(), fixture.keyspace[0])
            let captures = (0..<2_500).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            let doctor = QueueDoctor(queue: fixture.queue())
            try await fixture.redis("CONFIG", "RESETSTAT")
            #expect(try await doctor.examine().findings == [])
            #expect(try await calls("lpos", fixture) == 0)
            #expect(try await calls("lrange", fixture) == 3, "one way through it, a thousand captures at a time")

            let lost = captures[..<300].map(\.id) + captures[1_200..<1_500].map(\.id)
            for capture in lost {
                try await fixture.redis("LREM", .string(keys.lane(device)), 1, .string("\(capture)"))
            }
            try await fixture.redis("DEL", .string(keys.job(captures[2_000].id)))
            try await fixture.redis("CONFIG", "RESETSTAT")
            let findings = try await doctor.examine().findings
            #expect(
                Set(findings.filter { $0.fault == .jobWithoutLane }.map(\.subject)) == Set(lost.map(\.description)))
            #expect(
                findings.filter { $0.fault == .laneEntryWithoutJob }.map(\.subject) == ["\(captures[2_000].id)"])
            #expect(try await calls("lpos", fixture) == 0)
            #expect(try await calls("lrange", fixture) < 20, "one more for every 200 captures that seem wrong")
        }
    }

    /// How often the server has run a command, in functions too.
    private func calls(_ command: String, _ fixture: QueueFixture) async throws -> Int {
        let lines = (try await fixture.redis("INFO", "commandstats").string ?? "").split(whereSeparator: \.isNewline)
        let line = lines.first { $0.hasPrefix("cmdstat_\(command):") }
        return line?.firstMatch(of: /calls=(\d+)/).flatMap { Int($0.output.1) } ?? 0
    }

    @Test func `counters that are damage are counted wrongly, and end no program`() async throws {
        try await QueueFixture.with { fixture in
            _ = try await QueueWard(fixture)
            let largest = RedisArgument.integer(Int.max)
            try await fixture.redis(
                "HSET", .string(fixture.keyspace[0].stats), "accepted", largest, "verified", largest, "queued",
                .integer(Int.min))
            let findings = try await QueueDoctor(queue: fixture.queue()).examine().findings
            #expect(findings.map(\.fault) == [.levelWrong])
        }
    }

    @Test func `the doctor takes nothing for an orphan that is young`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let now = try await fixture.redis("TIME").array?.first?.int ?? 0
            try await ward.redis(
                "ZADD", .string(ward.keys.dead), .integer(now * 1000), .string("\(ward.strangers.capture)"))
            try await ward.redis("SET", .string(ward.keys.photo(ward.strangers.capture)), "bytes")
            let doctor = QueueDoctor(queue: fixture.queue())
            let findings = try await doctor.examine().findings
            #expect(findings.map(\.fault) == [.deadLetterWithoutJob])
            #expect(try await doctor.mend(findings) == [])
            #expect(try await fixture.redis("EXISTS", .string(ward.keys.photo(ward.strangers.capture))).int == 1)
        }
    }

    @Test func `the doctor counts again only while nothing moves`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            try await ward.redis("HSET", .string(ward.keys.stats), "queued", 1)
            let doctor = QueueDoctor(queue: fixture.queue())
            let examination = try await doctor.examine()
            var maker = SubmissionMaker(seed: 99)
            try await fixture.upload(maker.submission(of: maker.device()))
            #expect(try await doctor.recount(examination) == false)
            #expect(try await doctor.recount(try await doctor.examine()))
            #expect(try await fixture.queue().load().captures == 7)
        }
    }

    @Test func `the doctor counts nothing again where a dead letter is put back meanwhile`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let doctor = QueueDoctor(queue: fixture.queue())
            let examination = try await doctor.examine()
            #expect(try await fixture.queue().redrive(ward.dead.id))
            #expect(try await doctor.recount(examination) == false)
            #expect(try await fixture.queue().load().captures == 7)
        }
    }
}
