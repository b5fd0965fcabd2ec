import CaptureModel
import CaptureQueue
import CaptureStore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// The record was restored from a backup, and the queue has forgotten the capture but not its bundle.
@Suite(.timeLimit(.minutes(1))) struct `A bundle that is known as a capture that is nowhere` {
    private func capture(at time: Timestamp) -> CaptureID {
        var generator = SystemRandomNumberGenerator()
        return CaptureID.make(at: time, using: &generator)
    }

    @Test(arguments: [false, true]) func `a bundle of a capture that is nowhere is taken anew`(hasLedger: Bool)
        async throws
    {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let lost = capture(at: gateway.backend.time.source())
            gateway.backend.queue.lose(lost)
            let answer = try await gateway.upload(gateway.capture())
            #expect(answer.status == 202 && answer.data["duplicate"] == .bool(false))
            let id = try #require(answer.captureID)
            #expect(id != lost)
            #expect(try await gateway.backend.queue.status(of: [id])[0]?.state == .queued)
            #expect(gateway.backend.bundles.count == 1)
            if let ledger = gateway.backend.ledger {
                #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [id])
            }
        }
    }

    /// The row of a first attempt stands, and the queue still has the bundle as the lost one.
    @Test func `a bundle of a capture that is nowhere is put into the queue under the id that the ledger has`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let (queue, ledger) = (gateway.backend.queue, try #require(gateway.backend.ledger))
            let bundle = try gateway.capture()
            queue.fail(enqueue: .held)
            async let first = gateway.upload(bundle)
            await queue.untilHeld()
            queue.fail(enqueue: nil)
            queue.lose(capture(at: gateway.backend.time.source()))
            let second = try await gateway.upload(bundle)
            let rows = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture)
            #expect(second.status == 202 && rows == [second.captureID])
            #expect(try await queue.status(of: rows)[0]?.state == .queued)
            #expect(gateway.backend.bundles.count == 1)
            queue.release()
            #expect(try await first.captureID == second.captureID)
            #expect(try await queue.load().captures == 1)
        }
    }

    /// Whoever writes to Redis could keep a gateway asking for ever.
    @Test func `a bundle of one capture after the other that is nowhere is put off, and taken when it is sent again`()
        async throws
    {
        try await CapturesGateway.run(configure: { $0.intake.restoreWait = .milliseconds(20) }, hasLedger: true) {
            gateway async throws in
            let (queue, ledger) = (gateway.backend.queue, try #require(gateway.backend.ledger))
            let bundle = try gateway.capture()
            queue.fail(enqueue: .restoring)
            #expect(try await gateway.upload(bundle).status == 503)
            queue.fail(enqueue: nil)
            let now = gateway.backend.time.source()
            queue.lose(capture(at: now), capture(at: now), capture(at: now), capture(at: now))
            #expect(try await gateway.upload(bundle).status == 503)
            let rows = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture)
            #expect(rows.count == 1 && rows.allSatisfy(gateway.backend.bundles.contains))
            let last = try await gateway.upload(bundle)
            #expect(last.status == 202 && last.captureID == rows.first)
        }
    }

    @Test
    func `a bundle of a capture that is nowhere leaves nothing where the queue goes away before it is taken anew`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            gateway.backend.queue.lose(capture(at: gateway.backend.time.source()))
            gateway.backend.queue.fail(enqueue: .away)
            // Known as the other first, and forgotten; then the queue is away.
            let answer = try await gateway.upload(gateway.capture())
            #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") != nil)
            #expect(gateway.backend.bundles.count == 0)
            #expect(try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty == true)
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(gateway.capture(seed: 2)).data["duplicate"] == .bool(false))
        }
    }
}
