import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Two captures of one bundle, which leads to one of them: its key is that one's.
///
/// A gateway without a ledger may accept a bundle under another id while its capture is lost and comes back later.
@Suite("Two captures of one bundle", .timeLimit(.minutes(2)))
struct SharedBundleTests {
    /// Accepts a bundle, and restores another capture of it; `between` happens before that.
    private func twice(
        _ seed: UInt64, _ fixture: QueueFixture, between: (RedisCaptureQueue) async throws -> Void = { _ in }
    ) async throws -> (first: CaptureSubmission, second: CaptureSubmission, key: RedisArgument) {
        var maker = SubmissionMaker(seed: seed)
        let (queue, mark) = (fixture.queue(), RestorationMark.make(using: &maker.generator))
        let first = maker.submission(of: maker.device())
        #expect(try await fixture.upload(first) == .accepted)
        try await between(queue)
        let second = maker.submission(of: first.device, digest: first.bundleDigest, bundleStore: .filesystem)
        #expect(try await queue.beginRestoration(of: 0, mark: mark) == .restoring(mark))
        let lost = LostCapture(submission: second, isRedriven: false)
        #expect(try await queue.restore([lost], in: 0, under: mark) == [.restored])
        return (first, second, .string(fixture.keyspace[0].accepted(first.bundleDigest)))
    }

    @Test func `a bundle is forgotten as of the capture that it leads to, whatever the doctor finds of the other one`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let (first, second, key) = try await twice(150, fixture) { queue in
                _ = try await queue.settle([try await queue.claimOne().settling()])
            }
            #expect(try await fixture.redis("GET", key).string == "\(first.id)")
            let doctor = QueueDoctor(queue: fixture.queue())
            let findings = try await doctor.examine().findings
            #expect(findings.map(\.fault) == [.bundleKnownAsOther] && findings.first?.subject == "\(second.id)")
            // With an expiry of its own, which is taken off.
            let job = RedisArgument.string(fixture.keyspace[0].job(second.id))
            try await fixture.redis("PEXPIRE", job, 600_000)
            #expect(try await doctor.mend(try await doctor.examine().findings).map(\.fault) == [.keptWithEnd])
            #expect(try await fixture.redis("PTTL", job).int == -1)
            #expect(try await fixture.redis("PTTL", key).int ?? 0 > 0, "the first one's is as it was")
        }
    }

    @Test func `a bundle stays known while the capture waits that it leads to, though the other one is settled`()
        async throws
    {
        try await QueueFixture.with { fixture in
            let (first, second, key) = try await twice(151, fixture)
            let queue = fixture.queue()
            let lease = try await queue.claimOne(captures: 1)
            #expect(lease.ids == [first.id])
            _ = try await queue.settle([lease.burying()])
            let rest = try await queue.claimOne()
            #expect(rest.ids == [second.id])
            #expect(try await queue.settle([rest.settling()]) == [.settled])
            #expect(try await fixture.redis("PTTL", key).int == -1, "it is a dead letter's")
            #expect(try await queue.redrive(first.id))
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            #expect(try await fixture.redis("PTTL", key).int ?? 0 > 0)
        }
    }
}
