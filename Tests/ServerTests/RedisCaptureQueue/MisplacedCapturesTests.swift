import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// As after a change of the number before the queue was empty, which older releases did not refuse.
@Suite("The doctor names captures that lie in a partition that is not their device's", .timeLimit(.minutes(2)))
struct MisplacedCapturesTests {
    /// The queue of a fixture as programs with another number of partitions have it.
    private func queue(of fixture: QueueFixture, in keyspace: Keyspace) -> RedisCaptureQueue {
        RedisCaptureQueue(
            client: fixture.client, keyspace: keyspace, configuration: fixture.configuration, consumer: "other",
            logger: fixture.logger)
    }

    /// Uploads a capture by another number of partitions than the fixture's.
    private func upload(_ capture: CaptureSubmission, _ fixture: QueueFixture, in keyspace: Keyspace) async throws {
        let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
        try await RedisBundleStore(client: fixture.client, keyspace: keyspace).put(media, of: capture)
        #expect(try await queue(of: fixture, in: keyspace).enqueue(capture) == .accepted)
    }

    /// A capture of a device in a partition of four.
    private func capture(in partition: Int, _ maker: inout SubmissionMaker) throws -> CaptureSubmission {
        let four = try #require(Keyspace(partitions: 4))
        var device = maker.device()
        while four.partition(of: device).number != partition { device = maker.device() }
        return maker.submission(of: device)
    }

    /// What the doctor finds, as text.
    private func found(_ fixture: QueueFixture) async throws -> Set<String> {
        let findings = try await QueueDoctor(queue: fixture.queue()).examine().findings
        return Set(findings.map { "\($0.fault) \($0.subject)" })
    }

    @Test func `lanes and dead letters of more partitions than before are named, and left to an operator`()
        async throws
    {
        try await QueueFixture.with(partitions: 4) { fixture in
            let two = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 2))
            var maker = SubmissionMaker(seed: 73)
            let (letter, waiting) = (try capture(in: 3, &maker), try capture(in: 2, &maker))
            let (own, ownLetter) = (try capture(in: 0, &maker), try capture(in: 1, &maker))
            for capture in [letter, ownLetter] { try await upload(capture, fixture, in: two) }
            let before = queue(of: fixture, in: two)
            for lease in try await before.claimNow() {
                #expect(try await before.settle([lease.burying()]) == [.settled])
            }
            for capture in [waiting, own] { try await upload(capture, fixture, in: two) }

            let expected: Set = [
                "laneOfOtherPartition \(waiting.device)", "deadLetterOfOtherPartition \(letter.id)",
            ]
            #expect(try await found(fixture) == expected)
            let doctor = QueueDoctor(queue: fixture.queue())
            let examination = try await doctor.examine()
            #expect(examination.mendable == [])
            #expect(try await doctor.mend(examination.findings) == [])
            #expect(try await found(fixture) == expected)
        }
    }

    @Test func `what waits, is kept or lies in a partition that there is not any more is named until it is gone`()
        async throws
    {
        try await QueueFixture.with(partitions: 2) { fixture in
            let four = try #require(Keyspace(queue: fixture.keyspace.queue, partitions: 4))
            var maker = SubmissionMaker(seed: 74)
            let (waiting, orphan) = (try capture(in: 3, &maker), try capture(in: 2, &maker))
            let before = queue(of: fixture, in: four)
            // Bytes that were never enqueued expire.
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
            try await RedisBundleStore(client: fixture.client, keyspace: four).put(media, of: orphan)
            #expect(try await found(fixture) == [])

            try await upload(waiting, fixture, in: four)
            let keys = four[3]
            let kept = [keys.job(waiting.id), keys.photo(waiting.id), keys.depth(waiting.id)]
            let lanes = [keys.lane(waiting.device), keys.heads, keys.laneBytes]
            #expect(try await found(fixture) == Set((kept + lanes).map { "keyBeyondPartitions \($0)" }))

            let first = try await before.claimOne()
            #expect(try await before.settle([first.burying()]) == [.settled])
            #expect(try await found(fixture) == Set((kept + [keys.dead]).map { "keyBeyondPartitions \($0)" }))

            #expect(try await before.redrive(waiting.id, from: waiting.device))
            let second = try await before.claimOne()
            #expect(try await before.settle([second.settling()]) == [.settled])
            #expect(try await found(fixture) == [])
        }
    }
}
