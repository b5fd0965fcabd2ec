import CaptureModel
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Bytes that a resent bundle brings` {
    @Test(arguments: [true, false])
    func `bytes of a resent bundle put the capture back that has died for want of them`(hasLedger: Bool) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let capture = try gateway.capture()
            let first = try #require(try await gateway.upload(capture).captureID)
            try await gateway.bury()
            #expect(try await gateway.backend.queue.load().deadLetters == 1)
            let again = try await gateway.upload(capture)
            #expect(again.status == 202 && again.captureID == first && again.data["status"] == .string("queued"))
            #expect(gateway.backend.bundles.contains(first) && gateway.backend.bundles.count == 1)
            let load = try await gateway.backend.queue.load()
            #expect(load.captures == 1 && load.deadLetters == 0)
            try await gateway.settle()
            #expect(try await gateway.backend.store.results(of: [first])[first]?.verdict == .verified)
        }
    }

    @Test(arguments: [true, false])
    func `bytes of a resent bundle leave a capture alone that has died of something else`(hasLedger: Bool) async throws
    {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let capture = try gateway.capture()
            let first = try #require(try await gateway.upload(capture).captureID)
            try await gateway.bury(.attemptsExhausted)
            let again = try await gateway.upload(capture)
            #expect(again.captureID == first && again.data["status"] == .string("failed"))
            #expect(try await gateway.backend.queue.load().deadLetters == 1 && gateway.backend.bundles.count == 1)
        }
    }

    /// The reconciler puts the capture back from its row, limits or none.
    @Test func `bytes of a resent bundle stay where the queue is full and the row of the first upload stands`()
        async throws
    {
        var limits = MemoryCaptureQueue.Configuration()
        limits.capturesMax = 1
        try await CapturesGateway.run(
            configure: { $0.intake.restoreWait = .milliseconds(20) }, limits: limits, hasLedger: true
        ) { gateway async throws in
            let capture = try gateway.capture(seed: 1)
            gateway.backend.queue.fail(enqueue: .restoring)
            #expect(try await gateway.upload(capture).status == 503)
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(gateway.capture(seed: 2)).status == 202)
            #expect(try await gateway.upload(capture).code == "QUEUE_FULL")
            let rows = try await #require(gateway.backend.ledger).openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(rows.count == 2 && rows.allSatisfy { gateway.backend.bundles.contains($0.capture) })
        }
    }

    /// It was recorded when the queue took it: an app does not send again what is refused as too large.
    @Test func `bytes of a resent bundle stay where the queue takes none so large any more and its row stands`()
        async throws
    {
        try await CapturesGateway.run(configure: { $0.intake.restoreWait = .milliseconds(20) }, hasLedger: true) {
            gateway async throws in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .restoring)
            #expect(try await gateway.upload(capture).status == 503)
            gateway.backend.queue.fail(enqueue: .tooLarge(.photo, bytesMax: 30_000))
            let again = try await gateway.upload(capture)
            #expect(again.status == 503 && again.code == "UNAVAILABLE")
            let rows = try await #require(gateway.backend.ledger).openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(rows.count == 1 && rows.allSatisfy { gateway.backend.bundles.contains($0.capture) })
            gateway.backend.queue.fail(enqueue: nil)
            let last = try await gateway.upload(capture)
            #expect(last.status == 202 && last.captureID == rows.first?.capture)
        }
    }

    @Test func `bytes of a resent bundle are of a capture with a row, although an operator has discarded it just then`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let (capture, ledger) = (try gateway.capture(), try #require(gateway.backend.ledger))
            let first = try #require(try await gateway.upload(capture).captureID)
            try await gateway.bury()
            gateway.backend.queue.fail(enqueue: .held)
            async let again = gateway.upload(capture)
            await gateway.backend.queue.untilHeld()
            let letter = try #require(try await gateway.backend.queue.deadLetter(first)).position
            #expect(try await ledger.discard(first) != nil)
            #expect(try await gateway.backend.queue.discard(letter))
            // With the bytes that were brought a moment before.
            try await gateway.backend.bundles.removeSettled([first])
            gateway.backend.queue.release()
            let answer = try await again
            #expect(answer.status == 202 && answer.captureID == first)
            #expect(try await ledger.entries(of: [first]).count == 1, "what is answered with 202 outlives a flush")
            #expect(try await gateway.backend.queue.status(of: [first])[0]?.state == .queued)
            #expect(gateway.backend.bundles.contains(first))
        }
    }
}
