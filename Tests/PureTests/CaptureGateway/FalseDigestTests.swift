import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

/// A gateway that hands off tells the bundle's digest, and may name another bundle's.
@Suite(.timeLimit(.minutes(1))) struct `A digest that a hand-off has named for other bytes` {
    private func digest(of signed: SignedCapture, _ device: DeviceID) -> SHA256Digest {
        BundleDigest.compute(
            device: device, assertion: .hash(signed.assertion), photo: .hash(signed.capture.photo),
            depth: .hash(signed.capture.depthMap), metadata: .hash(signed.capture.metadata))
    }

    @Test(arguments: [false, true], [false, true])
    func `a false digest of a hand-off keeps no genuine upload out`(hasLedger: Bool, isSettled: Bool) async throws {
        try await CapturesGateway.run(hasLedger: hasLedger) { gateway async throws in
            let (queue, device) = (gateway.backend.queue, gateway.backend.device)
            let signed = try gateway.capture()
            var maker = SubmissionMaker(seed: 1)
            let foreign = maker.submission(of: device, digest: digest(of: signed, device))
            let outcome = try await queue.enqueue(foreign)
            #expect(outcome == .accepted)
            if isSettled { try await gateway.settle(.signatureInvalid) }

            let answer = try await gateway.upload(signed)
            let id = try #require(answer.captureID)
            #expect(answer.status == 202 && answer.data["duplicate"] == .bool(false) && id != foreign.id)
            let again = try await gateway.upload(signed)
            #expect(again.captureID == id && again.data["duplicate"] == .bool(true))
            #expect(gateway.backend.bundles.count == 1)
            if let ledger = gateway.backend.ledger {
                let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9)
                #expect(open.map(\.capture) == [id])
            }
            guard isSettled else { return }
            try await gateway.settle()
            let results = try await gateway.backend.store.results(of: [id])
            #expect(results[id]?.verdict == .verified)
        }
    }

    /// In which part a settled capture differs from the bundle whose digest it has.
    enum Part: CaseIterable, Sendable { case binding, assertion, metadata, photo, depth }

    /// Whoever has seen a bundle may hand off all but one part of it; of what is settled the record is asked.
    @Test(arguments: Part.allCases)
    func `a false digest of a hand-off that differs in one part keeps no genuine upload out once it is settled`(
        part: Part
    ) async throws {
        try await CapturesGateway.run { gateway async throws in
            let device = gateway.backend.device
            let signed = try gateway.capture()
            let media = signed.capture
            var maker = SubmissionMaker(seed: 3)
            let foreign = CaptureSubmission(
                id: maker.submission(of: device).id, device: device, bundleDigest: digest(of: signed, device),
                binding: part == .binding ? .framedV2 : .concatV1,
                assertion: part == .assertion ? [0xA0] : signed.assertion,
                metadata: part == .metadata ? Array("{}".utf8) : media.metadata,
                photoDigest: .hash(part == .photo ? [1] : media.photo),
                depthDigest: .hash(part == .depth ? [1] : media.depthMap), photoBytes: media.photo.count,
                depthBytes: media.depthMap.count, receivedAt: nil, traceParent: nil, bundleStore: .memory)
            let outcome = try await gateway.backend.queue.enqueue(foreign)
            #expect(outcome == .accepted)
            try await gateway.settle(.signatureInvalid)
            let answer = try await gateway.upload(signed)
            #expect(answer.status == 202 && answer.data["duplicate"] == .bool(false))
            let id = try #require(answer.captureID)
            #expect(id != foreign.id && gateway.backend.bundles.contains(id))
        }
    }

    /// Its row has the bundle's own digest, and the queue knows it by another.
    @Test
    func `a false digest of a hand-off keeps no dead letter of a genuine upload from being put back by its bytes`()
        async throws
    {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let (queue, device) = (gateway.backend.queue, gateway.backend.device)
            let signed = try gateway.capture()
            var maker = SubmissionMaker(seed: 1)
            let foreign = maker.submission(of: device, digest: digest(of: signed, device))
            #expect(try await queue.enqueue(foreign) == .accepted)
            let id = try #require(try await gateway.upload(signed).captureID)
            try await gateway.bury()
            let again = try await gateway.upload(signed)
            #expect(again.status == 202 && again.captureID == id && again.data["status"] == .string("queued"))
            #expect(gateway.backend.bundles.contains(id))
            #expect(try await queue.load().deadLetters == 1, "the foreign one")
        }
    }

    @Test func `a false digest of a hand-off leaves nothing where it is named again and again`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let signed = try gateway.capture()
            try await name(signed, times: 4, gateway)
            let answer = try await gateway.upload(signed)
            #expect(answer.status == 503 && gateway.backend.bundles.count == 0)
            let ledger = try #require(gateway.backend.ledger)
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9)
            #expect(open.isEmpty)
        }
    }

    /// Hands off captures that name the digest of another, and whatever it is known by beside each.
    private func name(_ signed: SignedCapture, times: Int, _ gateway: CapturesGateway) async throws {
        let (queue, device) = (gateway.backend.queue, gateway.backend.device)
        var maker = SubmissionMaker(seed: 2)
        var named = digest(of: signed, device)
        for _ in 0..<times {
            let foreign = maker.submission(of: device, digest: named)
            let outcome = try await queue.enqueue(foreign)
            #expect(outcome == .accepted)
            named = BundleDigest.beside(foreign.id, of: named)
        }
    }
}
