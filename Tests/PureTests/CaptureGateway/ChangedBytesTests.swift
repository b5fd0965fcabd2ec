import CaptureModel
import CaptureQueue
import DeviceSimulator
import NIOCore
import TestSupport
import Testing

@testable import CaptureGateway

/// Their phone still has them, and sends them again when it has lost the answer.
@Suite(.timeLimit(.minutes(1))) struct `Bytes that changed in storage` {
    private static let other = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))

    /// Uploads a capture and changes what is stored of it.
    private func change(_ signed: SignedCapture, _ gateway: CapturesGateway) async throws -> CaptureSubmission {
        let id = try #require(try await gateway.upload(signed).captureID)
        let job = try await gateway.backend.queue.job(of: id, from: gateway.backend.device)
        guard case .valid(let job)? = job else { throw UnexpectedGround() }
        try await gateway.backend.bundles.replace(Self.other, of: job.submission)
        return job.submission
    }

    /// The digests of what is stored of a capture.
    private func digests(
        _ submission: CaptureSubmission, _ gateway: CapturesGateway
    ) async throws -> [SHA256Digest] {
        let media = try #require(try await gateway.backend.bundles.fetch([submission]).first?.media)
        return [.hash(Array(media.photo.readableBytesView)), .hash(Array(media.depth.readableBytesView))]
    }

    /// Gives the only lane back.
    private func giveBack(
        _ lease: Lease, _ items: [LaneSettlement.Item], _ continuation: LaneSettlement.Continuation,
        _ gateway: CapturesGateway
    ) async throws {
        _ = try await gateway.backend.queue.settle(
            [LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: continuation)])
    }

    private func claim(_ gateway: CapturesGateway) async throws -> Lease {
        try #require(try await gateway.backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
    }

    @Test(arguments: [false, true], [Reason.bundleCorrupt, .deliveriesExhausted])
    func `a dead letter whose bytes changed is put back with those of its bundle`(
        hasLedger: Bool, reason: Reason
    ) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let signed = try gateway.capture()
            let submission = try await change(signed, gateway)
            try await gateway.bury(reason)
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == submission.id)
            #expect(again.data["duplicate"] == .bool(true) && again.data["status"] == .string("queued"))
            #expect(try await digests(submission, gateway) == [submission.photoDigest, submission.depthDigest])
            #expect(gateway.backend.bundles.count == 1)
            #expect(try await gateway.backend.queue.load().deadLetters == 0)
            try await gateway.settle()
            #expect(try await gateway.backend.store.results(of: [submission.id])[submission.id]?.verdict == .verified)
        }
    }

    @Test(arguments: [false, true])
    func `a capture that is put off for its bytes gets those of its bundle`(hasLedger: Bool) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let signed = try gateway.capture()
            let submission = try await change(signed, gateway)
            try await giveBack(
                claim(gateway), [], .delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed"), gateway)
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == submission.id)
            #expect(again.data["duplicate"] == .bool(true) && again.data["status"] == .string("retrying"))
            #expect(try await digests(submission, gateway) == [submission.photoDigest, submission.depthDigest])
            #expect(gateway.backend.bundles.count == 1)
        }
    }

    /// A redrive alone has the changed bytes tried again, and its attempts are counted anew.
    @Test(arguments: [false, true])
    func `a capture that an operator has put back gets the bytes of its bundle before its first try`(
        hasLedger: Bool
    ) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let signed = try gateway.capture()
            let submission = try await change(signed, gateway)
            try await gateway.bury(.bundleCorrupt)
            #expect(try await gateway.backend.queue.redrive(submission.id))
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == submission.id)
            #expect(again.data["duplicate"] == .bool(true) && again.data["status"] == .string("queued"))
            #expect(try await digests(submission, gateway) == [submission.photoDigest, submission.depthDigest])
        }
    }

    /// Whether the queue waits for replicas is the queue's affair: it does so in its answer to enqueuing.
    @Test(arguments: [false, true])
    func `bytes are replaced, and a dead letter is put back, before the queue is asked whether it has kept all`(
        isDead: Bool
    ) async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let signed = try gateway.capture()
            let submission = try await change(signed, gateway)
            if isDead {
                try await gateway.bury(.bundleCorrupt)
            } else {
                try await giveBack(
                    claim(gateway), [], .delayed(.seconds(60), reason: .bundleCorrupt, fault: "changed"), gateway)
            }
            gateway.backend.queue.fail(enqueue: .answerLost)
            #expect(try await gateway.upload(signed).status == 503, "too few replicas may have it")
            #expect(try await digests(submission, gateway) == [submission.photoDigest, submission.depthDigest])
            let state = try await gateway.backend.queue.status(of: [submission.id])[0]?.state
            #expect(state == (isDead ? .queued : .retrying))
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(signed).status == 202)
        }
    }

    /// It may be the last try, and a 202 would be the last that the phone asks for.
    @Test(arguments: [false, true])
    func `bytes are replaced without a promise while a worker may have read the old ones`(hasLedger: Bool) async throws
    {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let signed = try gateway.capture()
            let submission = try await change(signed, gateway)
            let lease = try await claim(gateway)
            #expect(try await gateway.upload(signed).status == 503)
            #expect(try await digests(submission, gateway) == [submission.photoDigest, submission.depthDigest])
            let given = LaneSettlement.Item(id: submission.id, disposition: .dead(.bundleCorrupt, fault: "changed"))
            try await giveBack(lease, [given], .ready, gateway)
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == submission.id)
            #expect(again.data["status"] == .string("queued"))
        }
    }
}
