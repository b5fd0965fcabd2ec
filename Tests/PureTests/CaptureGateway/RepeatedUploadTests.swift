import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Uploading again to a gateway with a ledger` {
    @Test func `bytes that cannot be stored again stay for the capture that has them`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let capture = try gateway.capture()
            let first = try await gateway.upload(capture)
            gateway.backend.faultyBundles.fail(puttingWith: QueueError(.unavailable, "the disk is full", of: .bundles))
            #expect(try await gateway.upload(capture).status == 503)
            #expect(gateway.backend.bundles.count == 1)
            let id = try #require(first.captureID)
            #expect(try await gateway.backend.queue.status(of: [id])[0]?.state == .queued)
        }
    }

    @Test func `what the queue has is neither stored nor claimed again, and what was put back is`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let ledger = try #require(gateway.backend.ledger)
            let capture = try gateway.capture()
            let first = try await gateway.upload(capture)
            #expect(try await gateway.upload(capture).captureID == first.captureID)
            #expect(gateway.backend.faultyBundles.puts == 2)
            let id = try #require(first.captureID)
            // As the reconciler does before it puts the capture back, perhaps without its bytes.
            #expect(try await ledger.claim(id) != nil)
            #expect(try await gateway.upload(capture).captureID == id)
            // Once more when the queue has it: its files may have been removed until then.
            #expect(gateway.backend.faultyBundles.puts == 5)
            #expect(gateway.backend.bundles.count == 1)
        }
    }

    @Test func `after a lost answer row and bytes stay, and the retry has the same id`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .answerLost)
            #expect(try await gateway.upload(capture).status == 503)
            #expect(gateway.backend.bundles.count == 1)
            let row = try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).first
            gateway.backend.queue.fail(enqueue: nil)
            let second = try await gateway.upload(capture)
            #expect(second.status == 202 && second.captureID == row?.capture)
            #expect(second.data["duplicate"] == .bool(true))
            #expect(gateway.backend.bundles.count == 1)
            #expect(try await gateway.backend.queue.load().captures == 1)
        }
    }

    @Test func `of two uploads of one bundle the refused one is answered with what the other has enqueued`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .heldAndAway)
            async let first = gateway.upload(capture)
            await gateway.backend.queue.untilHeld()
            gateway.backend.queue.fail(enqueue: nil)
            let second = try await gateway.upload(capture)
            gateway.backend.queue.release()
            let refused = try await first
            #expect(refused.status == 202 && refused.captureID == second.captureID)
            #expect(refused.data["duplicate"] == .bool(false) && refused.data["status"] == .string("queued"))
            #expect(second.status == 202 && second.data["duplicate"] == .bool(true))
            let ledger = try #require(gateway.backend.ledger)
            let rows = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(rows.map(\.capture) == [second.captureID], "it outlives a flush")
            #expect(gateway.backend.bundles.count == 1)
            #expect(try await gateway.backend.queue.load().captures == 1)
        }
    }

    @Test func `of two uploads of one bundle none is accepted when the first was withdrawn meanwhile`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let capture = try gateway.capture()
            let gate = Gate()
            gateway.backend.gatedLedger?.hold(claimsAt: gate)
            gateway.backend.queue.fail(enqueue: .heldAndAway)
            async let first = gateway.upload(capture)
            await gateway.backend.queue.untilHeld()
            async let second = gateway.upload(capture)
            await gate.untilReached()
            gateway.backend.queue.release()
            #expect(try await first.status == 503)
            gate.open()
            let answer = try await second
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            #expect(gateway.backend.bundles.count == 0)
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(capture).data["duplicate"] == .bool(false))
        }
    }

    /// Like one that another gateway has handed off, or whose row is missing in an older record.
    @Test func `a capture that the queue has without a row has one before it is answered with`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let (capture, ledger) = (try gateway.capture(), try #require(gateway.backend.ledger))
            let first = try #require(try await gateway.upload(capture).captureID)
            let received = gateway.backend.time.now
            #expect(try await ledger.discard(first) != nil)
            // The ledger's own time is that of the upload which it has seen.
            let seen = received.advanced(by: .seconds(60))
            for _ in 0..<2 {
                gateway.backend.time.advance(by: .seconds(60))
                let answer = try await gateway.upload(capture)
                #expect(answer.status == 202 && answer.captureID == first && answer.data["duplicate"] == .bool(true))
                let rows = try await ledger.entries(of: [first])
                #expect(rows.map(\.submission.id) == [first])
                #expect(rows.map(\.submission.receivedAt) == [received] && rows.map(\.recordedAt) == [seen])
                #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).count == 1)
                #expect(gateway.backend.bundles.count == 1)
            }
            // Nothing is promised that could not be recorded.
            #expect(try await ledger.discard(first) != nil)
            await ledger.fail(passing: StoreError(.unavailable, "away"))
            #expect(try await gateway.upload(capture).status == 503)
            #expect(try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty)
            await ledger.fail(passing: nil)
            #expect(try await gateway.upload(capture).captureID == first)
        }
    }

    /// The upload's own may have been put back from its row, and be the one that is worked.
    @Test func `nobody is told of a capture that the queue has lost before it had a row`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.statusesMax = 0
        try await CapturesGateway.run(limits: limits, hasLedger: true) { gateway async throws in
            let (capture, ledger) = (try gateway.capture(), try #require(gateway.backend.ledger))
            let first = try #require(try await gateway.upload(capture).captureID)
            #expect(try await ledger.discard(first) != nil)
            let gate = Gate()
            gateway.backend.gatedLedger?.hold(passesAt: gate)
            async let second = gateway.upload(capture)
            await gate.untilReached()
            try await gateway.settleInQueue()
            gate.open()
            let answer = try await second
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            // From its row it comes back.
            #expect(try await gateway.upload(capture).captureID == first)
            #expect(try await gateway.backend.queue.load().captures == 1)
        }
    }

    @Test func `what the queue has lost is queued for those who ask`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let ledger = try #require(gateway.backend.ledger)
            var generator = SystemRandomNumberGenerator()
            let id = CaptureID.make(at: gateway.backend.time.source(), using: &generator)
            let submission = CaptureSubmission(
                id: id, device: gateway.backend.device, bundleDigest: .hash([1]), binding: .concatV1, assertion: [1],
                metadata: [1], photoDigest: .hash([1]), depthDigest: .hash([2]), photoBytes: 1, depthBytes: 1,
                receivedAt: gateway.backend.time.source(), traceParent: nil)
            _ = try await ledger.record([submission])
            let path = "/api/v1/captures/\(id)"
            let answer = try await gateway.send(.GET, path, headers: CapturesGateway.dashboard)
            #expect(answer.status == 200 && answer.data["status"] == .string("queued"))
            let other = try await gateway.otherDevice()
            let foreign = try await gateway.send(.GET, path, headers: gateway.credentials(other.phone, other.id))
            #expect(foreign.status == 404, "and for nobody else")
        }
    }
}
