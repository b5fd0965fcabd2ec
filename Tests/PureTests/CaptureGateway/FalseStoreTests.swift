import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import FaultPoints
import NIOCore
import TestSupport
import Testing

@testable import CaptureGateway

/// Bytes in memory, under the name of a store that a gateway has beside its own.
private struct OtherStore: ForwardingBundles {
    let memory = MemoryBundleStore()

    var name: BundleStoreName { .filesystem }
}

extension SignedCapture {
    /// What a hand-off declares that has the whole bundle, and names a store for its bytes.
    fileprivate func handedOff(
        as capture: CaptureID, of device: DeviceID, in store: BundleStoreName
    ) -> CaptureSubmission {
        let media = self.capture
        let digest = BundleDigest.compute(
            device: device, assertion: .hash(assertion), photo: .hash(media.photo), depth: .hash(media.depthMap),
            metadata: .hash(media.metadata))
        return CaptureSubmission(
            id: capture, device: device, bundleDigest: digest, binding: binding, assertion: assertion,
            metadata: media.metadata, photoDigest: .hash(media.photo), depthDigest: .hash(media.depthMap),
            photoBytes: media.photo.count, depthBytes: media.depthMap.count, receivedAt: nil, traceParent: nil,
            bundleStore: store)
    }
}

/// A gateway that hands off names the store of the bytes, and may name one in which there are none.
@Suite(.timeLimit(.minutes(1))) struct `A bundle store that a hand-off has named falsely` {
    private func newID(_ gateway: CapturesGateway) -> CaptureID {
        var generator = SystemRandomNumberGenerator()
        return CaptureID.make(at: gateway.backend.time.now, using: &generator)
    }

    /// It may be verified yet, where its workers have that store.
    @Test(arguments: [false, true])
    func `a bundle that waits in a store which is not configured here is put off, and taken once that was given up`(
        hasLedger: Bool
    ) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let signed = try gateway.capture()
            let foreign = signed.handedOff(as: newID(gateway), of: gateway.backend.device, in: .filesystem)
            let outcome = try await gateway.backend.queue.enqueue(foreign)
            #expect(outcome == .accepted)
            let early = try await gateway.upload(signed)
            #expect(early.status == 503 && early.code == "UNAVAILABLE" && gateway.backend.bundles.count == 0)
            let open = try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(open?.isEmpty ?? true)

            try await gateway.bury(.attemptsExhausted)
            let answer = try await gateway.upload(signed)
            let id = try #require(answer.captureID)
            #expect(answer.status == 202 && answer.data["duplicate"] == .bool(false) && id != foreign.id)
            let again = try await gateway.upload(signed)
            #expect(again.captureID == id && again.data["duplicate"] == .bool(true))
            #expect(gateway.backend.bundles.contains(id) && gateway.backend.bundles.count == 1)
            try await gateway.settle()
            let results = try await gateway.backend.store.results(of: [id])
            #expect(results[id]?.verdict == .verified)
        }
    }

    /// Another worker has settled it, and was taken for dead.
    @Test func `a dead letter in a store that is not configured here is the bundle's own if it has a result`()
        async throws
    {
        try await CapturesGateway.run { gateway async throws in
            let signed = try gateway.capture()
            let first = signed.handedOff(as: newID(gateway), of: gateway.backend.device, in: .filesystem)
            let outcome = try await gateway.backend.queue.enqueue(first)
            #expect(outcome == .accepted)
            try await gateway.settle(isGivenUp: true)
            let answer = try await gateway.upload(signed)
            #expect(answer.status == 202 && answer.captureID == first.id)
            #expect(answer.data["duplicate"] == .bool(true) && answer.data["status"] == .string("verified"))
        }
    }

    /// Somebody has written it into the job in Redis.
    @Test func `a dead letter that names a store which is not configured here is put back as its row has it`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let (queue, device) = (gateway.backend.queue, gateway.backend.device)
            let signed = try gateway.capture()
            let id = try #require(try await gateway.upload(signed).captureID)
            try await gateway.bury(.internal)
            let isChanged = try await queue.redrive(as: signed.handedOff(as: id, of: device, in: .filesystem))
            #expect(isChanged)
            try await gateway.bury(.internal)
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == id && again.data["status"] == .string("queued"))
            guard case .valid(let job)? = try await queue.job(of: id, from: device) else { throw UnexpectedGround() }
            #expect(job.submission.bundleStore == .memory && gateway.backend.bundles.contains(id))
        }
    }

    /// The copy that goes with the upload's row is in the gateway's own store, in which its workers do not look.
    @Test func `a capture that waits in another store of the gateway's gets its bytes there if it has none`()
        async throws
    {
        let time = ManualTime()
        let (queue, store) = (MemoryCaptureQueue(time: time.source), MemoryCaptureStore(time: time.source))
        let other = OtherStore()
        let bundles = BundleStores(primary: MemoryBundleStore(), others: [other])
        let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))
        var maker = SubmissionMaker(seed: 3)
        let device = maker.device()
        let foreign = maker.submission(of: device, bundleStore: .filesystem, media: media)
        #expect(try await queue.enqueue(foreign) == .accepted)
        let upload = UploadedBytes(
            bundles: bundles,
            submission: maker.submission(
                of: device, digest: foreign.bundleDigest, bundleStore: .memory, media: media), media: media,
            logger: .quiet)
        let restoring = RestoringEnqueue(queue: queue, store: store, restoreWait: .seconds(30), onRestoring: {})
        let earlier = EarlierUpload(
            queue: queue, store: store, bundles: bundles, restoring: restoring, faults: .none)
        guard case .same(let queued, .queued) = try await earlier.named(foreign.id, for: upload) else {
            Issue.record("not the bundle's own")
            return
        }
        #expect(queued?.id == foreign.id && other.memory.contains(foreign.id))
    }
}
