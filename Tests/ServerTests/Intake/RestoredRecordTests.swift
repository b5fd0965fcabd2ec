import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("A record that was restored from a backup", .timeLimit(.minutes(3)))
struct RestoredRecordTests {
    /// Verifies and settles the captures at the head of the only lane, which have their bytes.
    private func settle(_ fixture: IntakeFixture, of device: Device) async throws -> [CaptureID] {
        let queue = fixture.queue.queue()
        let lease = try await queue.claimOne()
        let jobs = try lease.jobs.map { claimed throws -> CaptureJob in
            guard case .valid(let job) = claimed else { throw QueueError(.malformedReply, "a malformed job") }
            return job
        }
        #expect(try await fixture.bundles.fetch(jobs.map(\.submission)).allSatisfy { $0.media != nil })
        let decisions = try await fixture.store.settle(
            jobs.map { job in
                ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [Check(.device, .pass)],
                    outcome: .of(device, counter: job.submission.counter), capturedAt: nil,
                    verifiedAt: Timestamp(Date()))
            }, policy: .strict)
        #expect(try await queue.settle([lease.settling(decisions)]) == [.settled])
        return decisions.map(\.id)
    }

    /// Like a backup from before a capture was uploaded.
    private func forget(_ capture: CaptureID, of device: Device, in fixture: IntakeFixture) async throws {
        try await fixture.execute(
            """
            ALTER TABLE captures DISABLE TRIGGER captures_kept;
            DELETE FROM captures WHERE id = '\(capture)';
            ALTER TABLE captures ENABLE TRIGGER captures_kept;
            ALTER TABLE counters DISABLE TRIGGER counters_increase;
            UPDATE counters SET capture_highest = 0;
            ALTER TABLE counters ENABLE TRIGGER counters_increase;
            DELETE FROM intake WHERE capture_id = '\(capture)'
            """)
    }

    @Test(arguments: [true, false])
    func `a bundle whose capture went with it is taken anew, and ends with a verdict`(isInRedis: Bool) async throws {
        try await IntakeFixture.with(outside: isInRedis ? nil : MemoryBundleStore(named: .filesystem)) {
            fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.running {
                var round = ReconcilerRound(IntakeReconciler.Configuration())
                try await fixture.reconciler.turn(&round)
                let first = try await fixture.upload(1, of: device.id).id
                #expect(try await settle(fixture, of: device) == [first])
                let known = Acceptance.Accepted(id: first, state: .verified, isDuplicate: true)
                #expect(try await fixture.upload(1, of: device.id) == known)

                try await forget(first, of: device, in: fixture)
                // As long as Redis remembers the result, nobody is told one that is nowhere.
                let fault = await #expect(throws: APIError.self) { try await fixture.upload(1, of: device.id) }
                #expect(fault?.code == .unavailable)
                // Sooner or later Redis forgets the status, and not yet the bundle.
                let keys = fixture.queue.keyspace.partition(of: device.id)
                try await fixture.queue.redis("DEL", .string(keys.settled(first)))
                let again = try await fixture.upload(1, of: device.id)
                #expect(again.id != first && again.state == .queued && !again.isDuplicate)
                let twice = Acceptance.Accepted(id: again.id, state: .queued, isDuplicate: true)
                #expect(try await fixture.upload(1, of: device.id) == twice)
                #expect(try await settle(fixture, of: device) == [again.id])
                #expect(try await fixture.store.results(of: [again.id])[again.id]?.verdict == .verified)
                #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
            }
        }
    }
}
