import CaptureModel
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// Its worker was taken for dead, settled it nevertheless, and ended before it could put it back.
@Suite("A dead letter whose capture has a result", .timeLimit(.minutes(3)))
struct SettledLetterTests {
    private static func withSettledLetter(
        _ body: (IntakeFixture, DeviceID, CaptureID, inout ReconcilerRound) async throws -> Void
    ) async throws {
        try await IntakeFixture.with { fixture async throws in
            let device = try await fixture.store.registered()
            try await fixture.running {
                var configuration = IntakeReconciler.Configuration()
                configuration.grace = .zero
                configuration.sweepInterval = .zero
                var round = ReconcilerRound(configuration)
                try await fixture.reconciler.turn(&round)
                let capture = try await fixture.upload(1, of: device.id).id
                let worker = fixture.queue.queue("worker")
                let lease = try await worker.claimOne()
                guard case .valid(let job)? = lease.jobs.first else {
                    Issue.record("not a valid job")
                    return
                }
                _ = try await worker.settle([lease.burying(.deliveriesExhausted)])
                // Nobody is told of the result yet when the dead letter is noted.
                try await fixture.reconciler.turn(&round)
                #expect(try await worker.load().deadLetters == 1)
                let examined = ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [], outcome: .of(device, counter: 1), capturedAt: nil,
                    verifiedAt: moment(11))
                _ = try await fixture.store.settle([examined], policy: .strict)
                try await body(fixture, device.id, capture, &round)
            }
        }
    }

    @Test func `is told as the record has it when its bundle is sent again`() async throws {
        try await Self.withSettledLetter { fixture, device, capture, _ async throws in
            let again = try await fixture.upload(1, of: device)
            #expect(again == Acceptance.Accepted(id: capture, state: .verified, isDuplicate: true))
        }
    }

    @Test func `is put back by the reconciler, so that a worker acknowledges it`() async throws {
        try await Self.withSettledLetter { fixture, _, capture, round async throws in
            try await fixture.reconciler.turn(&round)
            let queue = fixture.queue.queue("worker")
            #expect(try await queue.load().deadLetters == 0)
            #expect(try await queue.claimOne().ids == [capture])
        }
    }
}
