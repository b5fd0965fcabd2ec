import CaptureModel
import CaptureQueue
import CaptureStore
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// Somebody has written it to Redis, or the record was restored from a backup beside statuses of before.
@Suite("Open rows whose captures Redis calls settled", .timeLimit(.minutes(3)))
struct CalledSettledRowTests {
    @Test func `a capture that Redis alone calls settled is put back with its bytes, and ends with a verdict`()
        async throws
    {
        let bundles = MemoryBundleStore(named: .filesystem)
        try await IntakeFixture.with(outside: bundles) { fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.running {
                var round = try await fixture.firstTurn()
                let capture = try await fixture.upload(1, of: device.id).id
                let queue = fixture.queue.queue()
                #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
                #expect(try await queue.status(of: [capture])[0]?.state == .verified)
                await #expect(throws: APIError.self) { try await fixture.upload(1, of: device.id) }
                #expect(bundles.contains(capture))

                try await fixture.reconciler.turn(&round)
                #expect(try await queue.status(of: [capture])[0]?.state == .queued)
                #expect(try await fixture.settle(of: device) == [capture])

                try await fixture.firstTurn()
                #expect(try await queue.load().captures == 0, "Redis is right by now")
                let again = try await fixture.upload(1, of: device.id)
                #expect(again == Acceptance.Accepted(id: capture, state: .verified, isDuplicate: true))
            }
        }
    }
}
