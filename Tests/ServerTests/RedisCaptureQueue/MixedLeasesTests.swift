import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import RedisCaptureQueue

/// As where one worker after the other is started again with another lease.
@Suite(.timeLimit(.minutes(2)))
struct MixedLeasesTests {
    private func queue(_ name: String, lease: Duration, _ fixture: QueueFixture) -> RedisCaptureQueue {
        var configuration = fixture.configuration
        configuration.leaseDuration = lease
        return RedisCaptureQueue(
            client: fixture.client, keyspace: fixture.keyspace, configuration: configuration, consumer: name,
            logger: fixture.logger)
    }

    @Test func `what a worker with a longer lease renews is not taken over by one with a shorter`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 41)
            try await fixture.upload(maker.submission(of: maker.device()))
            let (holder, other) = (queue("a", lease: .seconds(60), fixture), queue("b", lease: .seconds(5), fixture))
            let lease = try await holder.claimOne()
            for _ in 0..<3 {
                try await fixture.passTime(LeaseRenewer.interval(ofLease: holder.configuration.leaseDuration))
                #expect(try await !other.hasLapsedLanes())
                #expect(try await other.takeOver() == nil)
                try await fixture.renew(holder)
                #expect(holder.holds(lease.token))
            }
            // Silent for the shorter of the two.
            try await fixture.passTime(.seconds(5))
            #expect(try await holder.takeOver() == nil)
            #expect(try await other.takeOver()?.device == lease.device)
        }
    }
}
