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
                try await fixture.firstTurn()
                let first = try await fixture.upload(1, of: device.id).id
                #expect(try await fixture.settle(of: device) == [first])
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
                #expect(try await fixture.settle(of: device) == [again.id])
                #expect(try await fixture.store.results(of: [again.id])[again.id]?.verdict == .verified)
                #expect(try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
            }
        }
    }
}
