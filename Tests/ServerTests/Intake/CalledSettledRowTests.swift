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
                var round = ReconcilerRound(IntakeReconciler.Configuration())
                try await fixture.reconciler.turn(&round)
                let capture = try await fixture.upload(1, of: device.id).id
                let queue = fixture.queue.queue()
                #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
                #expect(try await queue.status(of: [capture])[0]?.state == .verified)
                await #expect(throws: APIError.self) { try await fixture.upload(1, of: device.id) }
                #expect(bundles.contains(capture))

                try await fixture.reconciler.turn(&round)
                #expect(try await queue.status(of: [capture])[0]?.state == .queued)
                let lease = try await queue.claimOne()
                guard case .valid(let job)? = lease.jobs.first, job.id == capture else {
                    Issue.record("not the capture")
                    return
                }
                let examined = ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [Check(.device, .pass)],
                    outcome: .of(device, counter: 1), capturedAt: nil, verifiedAt: Timestamp(Date()))
                let decisions = try await fixture.store.settle([examined], policy: .strict)
                #expect(try await queue.settle([lease.settling(decisions)]) == [.settled])

                round = ReconcilerRound(IntakeReconciler.Configuration())
                try await fixture.reconciler.turn(&round)
                #expect(try await queue.load().captures == 0, "Redis is right by now")
                let again = try await fixture.upload(1, of: device.id)
                #expect(again == Acceptance.Accepted(id: capture, state: .verified, isDuplicate: true))
            }
        }
    }
}
