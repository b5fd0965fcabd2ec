import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// How long the capture has been waiting that has waited for longest, whatever was done to its lane meanwhile.
@Suite("The queue's age", .timeLimit(.minutes(2)))
struct OldestCaptureTests {
    /// Uploads captures of one device, received so many minutes before a time.
    private func upload(
        _ minutes: [Int], before start: Timestamp, of device: DeviceID, _ maker: inout SubmissionMaker,
        to fixture: QueueFixture
    ) async throws -> [CaptureSubmission] {
        var captures: [CaptureSubmission] = []
        for age in minutes {
            let capture = maker.submission(of: device, receivedAt: start.advanced(by: .seconds(-60 * age)))
            try await fixture.upload(capture)
            captures.append(capture)
        }
        return captures
    }

    /// How many minutes before a time the capture was received that has waited for longest.
    ///
    /// Its age itself grows while the test runs.
    private func minutes(before start: Timestamp, _ fixture: QueueFixture) async throws -> Int? {
        let now = try await fixture.queue().serverTime()
        guard let age = try await fixture.queue().load().oldestLaneAge else { return nil }
        return Int(((start.since(now) + age) / .seconds(60)).rounded())
    }

    @Test(arguments: [1, 4])
    func `the queue's age is that of the oldest capture, ready, held or put off`(partitions: Int) async throws {
        try await QueueFixture.with(partitions: partitions) { fixture in
            let start = try await fixture.queue().serverTime()
            #expect(try await minutes(before: start, fixture) == nil)
            var maker = SubmissionMaker(seed: 70)
            let queue = fixture.queue()
            _ = try await upload([8, 5, 3], before: start, of: maker.device(), &maker, to: fixture)
            #expect(try await minutes(before: start, fixture) == 8)
            let lease = try await queue.claimOne(captures: 1)
            #expect(try await minutes(before: start, fixture) == 8, "in a worker's hands")
            // The next one has waited for long, and its token is new.
            _ = try await queue.settle([lease.settling()])
            #expect(try await minutes(before: start, fixture) == 5)
            let second = try await queue.claimOne(captures: 1)
            _ = try await queue.settle([second.settling(0, .delayed(.seconds(600), fault: "away"))])
            #expect(try await minutes(before: start, fixture) == 5, "put off")
            _ = try await upload([4], before: start, of: maker.device(), &maker, to: fixture)
            #expect(try await minutes(before: start, fixture) == 5)
            try await fixture.passTime()
            #expect(try await queue.promote() == 1)
            for lease in try await queue.claimNow() {
                let given = lease.jobs.count > 1 ? lease.settling(0, .handedBack) : lease.settling()
                _ = try await queue.settle([given])
            }
            #expect(try await minutes(before: start, fixture) == 5, "handed back, and the other's is gone")
            _ = try await queue.settle([try await queue.claimOne(captures: 1).burying()])
            #expect(try await minutes(before: start, fixture) == 3, "a dead letter does not wait")
            _ = try await queue.settle([try await queue.claimOne().settling()])
            #expect(try await minutes(before: start, fixture) == nil)
        }
    }

    @Test func `the age of a dead letter begins anew when it is put back`() async throws {
        try await QueueFixture.with { fixture in
            let start = try await fixture.queue().serverTime()
            var maker = SubmissionMaker(seed: 71)
            let queue = fixture.queue()
            let captures = try await upload([9], before: start, of: maker.device(), &maker, to: fixture)
            _ = try await queue.settle([try await queue.claimOne().burying()])
            #expect(try await queue.redrive(captures[0].id))
            // It has waited since the test began, or later.
            let sinceStart = try #require(try await minutes(before: start, fixture))
            #expect(sinceStart <= 0)
        }
    }

    @Test func `the queue's age is the next one's after a capture that took its workers down`() async throws {
        var configuration = RedisQueueConfiguration.ofTests
        configuration.deliveriesMax = 1
        try await QueueFixture.with(configuration: configuration) { fixture in
            let start = try await fixture.queue().serverTime()
            var maker = SubmissionMaker(seed: 72)
            _ = try await upload([9, 6], before: start, of: maker.device(), &maker, to: fixture)
            _ = try await fixture.queue("lost").claimOne()
            try await fixture.passTime()
            #expect(try await fixture.queue().takeOver() == nil)
            #expect(try await minutes(before: start, fixture) == 6)
        }
    }

    @Test func `the age of lanes that somebody has taken from the list is told again with the next settlement`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let start = try await fixture.queue().serverTime()
            var maker = SubmissionMaker(seed: 73)
            let queue = fixture.queue()
            _ = try await upload([9, 7], before: start, of: maker.device(), &maker, to: fixture)
            try await fixture.redis("DEL", .string(fixture.keyspace[0].heads))
            #expect(try await minutes(before: start, fixture) == nil)
            _ = try await queue.settle([try await queue.claimOne(captures: 1).settling()])
            #expect(try await minutes(before: start, fixture) == 7)
        }
    }

    @Test(arguments: [false, true])
    func `the queue's age is not hidden for ever by a lane that somebody has deleted`(isPutOff: Bool) async throws {
        try await QueueFixture.with { fixture in
            let start = try await fixture.queue().serverTime()
            var maker = SubmissionMaker(seed: 74)
            let (queue, device) = (fixture.queue(), maker.device())
            _ = try await upload([9], before: start, of: device, &maker, to: fixture)
            if isPutOff {
                let lease = try await queue.claimOne()
                _ = try await queue.settle([lease.settling(0, .delayed(.seconds(600), fault: "away"))])
            }
            _ = try await upload([7], before: start, of: maker.device(), &maker, to: fixture)
            try await fixture.redis("DEL", .string(fixture.keyspace[0].lane(device)))
            #expect(try await minutes(before: start, fixture) == 9)
            if isPutOff { try await fixture.passTime() }
            #expect(try await queue.promote() == (isPutOff ? 1 : 0))
            #expect(try await queue.claimNow().count == 1)
            #expect(try await minutes(before: start, fixture) == 7)
        }
    }

    @Test func `the queue's age is its own again once the doctor has taken off what is no device`() async throws {
        try await QueueFixture.with { fixture in
            let start = try await fixture.queue().serverTime()
            try await fixture.redis("ZADD", .string(fixture.keyspace[0].heads), 5, "junk")
            let misled = try #require(try await minutes(before: start, fixture))
            #expect(misled > 1_000_000)
            let doctor = QueueDoctor(queue: fixture.queue())
            let found = try await doctor.examine().findings
            #expect(found.map(\.subject) == ["\(fixture.keyspace[0].heads): 1, such as \"junk\""])
            #expect(try await doctor.mend(found) == found)
            #expect(try await minutes(before: start, fixture) == nil)
        }
    }
}
