import AppAttest
import CaptureModel
import CaptureQueue
import DeviceSimulator
import FaultPoints
import Foundation
import MultiBufferP256
import NIOCore
import Observability
import Rollout
import TestSupport
import Testing

@testable import CaptureProcessing

/// Every capture of a batch gets the finding that is its own, whatever is beside it and however many are verified at once.
@Suite struct BatchVerifierTests {
    /// What is the matter with a capture.
    private enum Flaw: CaseIterable {
        case none, forged, noAssertion, unknownDevice, malformedJob, missing, corruptPhoto, corruptDepth, otherApp
        case signedRequest

        /// What a worker is to make of it.
        var outcome: String {
            switch self {
            case .none: "verified"
            case .forged: Reason.signatureInvalid.rawValue
            case .noAssertion: Reason.assertionMalformed.rawValue
            case .unknownDevice: Reason.deviceUnknown.rawValue
            case .malformedJob: "dead \(Reason.internal.rawValue)"
            case .missing: "dead \(Reason.bundleMissing.rawValue)"
            case .corruptPhoto, .corruptDepth: "fault \(Reason.bundleCorrupt.rawValue)"
            case .otherApp: Reason.rpIDMismatch.rawValue
            case .signedRequest: Reason.photoMalformed.rawValue
            }
        }
    }

    private static let app = KeyFixture.app
    private static let now = KeyFixture.now
    private let configuration = WorkerConfiguration(appIDs: [app])

    /// What a worker makes of a capture, for short.
    private struct Outcome: Equatable {
        var text: String
        /// Of what was looked at.
        var capture: CaptureID?
        var counter: UInt32?
    }

    private struct Made {
        let flaw: Flaw
        let counter: UInt32
        let job: ClaimedJob
        let media: FetchedMedia
        let device: KnownDevice?

        var outcome: Outcome {
            let isLookedAt = ![.malformedJob, .missing, .corruptPhoto, .corruptDepth].contains(flaw)
            return Outcome(
                text: flaw.outcome, capture: isLookedAt ? job.id : nil, counter: flaw == .none ? counter : nil)
        }
    }

    private func make(_ flaw: Flaw, _ number: Int, _ binding: Binding, excess: Int = 0) throws -> Made {
        let phone = SimulatedDevice(appID: flaw == .otherApp ? "TEAM123456.com.example.other" : Self.app.text)
        let device = Device.phone(
            .attested(
                publicKey: phone.publicKey, environment: .production, appID: Self.app.text,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            model: phone.model, registeredAt: Self.now.advanced(by: .seconds(-60)))
        let capture = try SyntheticCapture(
            seed: UInt64(number), photoBytes: 24_000, capturedAt: Self.now, deviceModel: phone.model,
            binding: binding == .concatV1 ? nil : binding)
        let signer = flaw == .forged ? SimulatedDevice(appID: Self.app.text) : phone
        let request = Array("1790000000000|\(SHA256Digest.hash([]).hex)".utf8)
        // The text that its key has signed is the same, wherever it is cut.
        let (photo, depth) =
            flaw == .signedRequest
            ? (Array(request.prefix(40)), Array(request.dropFirst(40))) : (capture.photo, capture.depthMap)
        let storedPhoto = flaw == .corruptPhoto ? photo + [0] : photo
        let storedDepth = flaw == .corruptDepth ? depth + [0] : depth
        // Counters that tell the captures apart.
        for _ in 0..<number { _ = try signer.assertion(clientDataHash: [0]) }
        let assertion =
            try flaw == .signedRequest
            ? signer.assertion(clientDataHash: SHA256Digest.hash(request).bytes)
            : CaptureSigner(device: signer, binding: binding).sign(capture).assertion
        let submission = CaptureSubmission(
            id: CaptureID(UUID()), device: device.id, bundleDigest: .hash([1]), binding: binding,
            assertion: flaw == .noAssertion ? [0xa0] : assertion, metadata: capture.metadata,
            photoDigest: .hash(photo), depthDigest: .hash(depth), photoBytes: storedPhoto.count + excess,
            depthBytes: storedDepth.count + excess, receivedAt: Self.now, traceParent: nil)
        let job = CaptureJob(
            submission: submission, receivedAt: Self.now, claimedAt: Self.now, attempts: 1, isRedriven: false)
        return Made(
            flaw: flaw, counter: UInt32(number + 1),
            job: flaw == .malformedJob ? .malformed(submission.id, fault: "of the test") : .valid(job),
            media: flaw == .missing
                ? .missing
                : .found(CaptureMedia(photo: ByteBuffer(bytes: storedPhoto), depth: ByteBuffer(bytes: storedDepth))),
            device: flaw == .unknownDevice ? nil : KnownDevice(device, keys: configuration.keys))
    }

    private func conclusions(
        on made: [Made], concurrency: Int, prover: SignatureProver?
    ) async -> [CaptureConclusion] {
        let verifier = BatchVerifier(
            concurrency: concurrency, hasher: BundleHasher(concurrency: concurrency), prover: prover,
            verifier: CaptureVerifier(configuration: configuration, now: { Self.now }), running: RunningVerifications(),
            faults: .none)
        let devices = made.compactMap { made -> (DeviceID, KnownDevice)? in made.device.map { ($0.device.id, $0) } }
        let results = await verifier.verify(
            made.map(\.job), media: made.map(\.media), devices: Dictionary(uniqueKeysWithValues: devices),
            rollout: .none)
        return results.map(\.conclusion)
    }

    private func outcomes(_ made: [Made], concurrency: Int, prover: SignatureProver?) async -> [Outcome] {
        await conclusions(on: made, concurrency: concurrency, prover: prover).map { conclusion in
            switch conclusion {
            case .examined(let capture):
                Outcome(
                    text: capture.outcome.rejection?.rawValue ?? "verified", capture: capture.job.id,
                    counter: capture.counter)
            case .fault(let reason, _): Outcome(text: "fault \(reason.rawValue)")
            case .dead(let reason, _): Outcome(text: "dead \(reason.rawValue)")
            }
        }
    }

    @Test(arguments: [1, 2, 5], [1, 2, 3, 8, 9, 40])
    func `a capture has its own outcome, whatever is beside it in a batch`(_ concurrency: Int, _ count: Int)
        async throws
    {
        var random = SeededGenerator(seed: testSeed("batch verifier"))
        // Half of them genuine, so that lanes are full and forged ones sit among them.
        let flaws = (0..<count).map { _ in
            Bool.random(using: &random) ? Flaw.none : Flaw.allCases.randomElement(using: &random) ?? .none
        }
        let made = try flaws.enumerated().map {
            try make($0.element, $0.offset, Binding.allCases.randomElement(using: &random) ?? .concatV1)
        }
        for prover in [nil, SignatureProver.shared] {
            let found = await outcomes(made, concurrency: concurrency, prover: prover)
            #expect(found == made.map(\.outcome), "\(prover == nil ? "one by one" : "side by side")")
        }
    }

    @Test(arguments: Flaw.allCases, Binding.allCases)
    private func `a capture has its own outcome when it is verified by itself`(_ flaw: Flaw, _ binding: Binding)
        async throws
    {
        let made = try make(flaw, 1, binding)
        #expect(await outcomes([made], concurrency: 2, prover: .shared) == [made.outcome])
    }

    /// Under `concat-v1` only the photo tells it from a capture.
    @Test func `the signature of a request is not looked at as a capture's`() async throws {
        let found = await conclusions(on: [try make(.signedRequest, 1, .concatV1)], concurrency: 1, prover: .shared)
        guard case .examined(let capture)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(capture.outcome.rejection == .photoMalformed && capture.counter == nil)
        #expect(capture.checks.contains(Check(.assertion, .unavailable, .notEvaluated)))
    }

    /// These numbers are kept with the result.
    @Test func `a capture has as many bytes as were hashed, whatever its job says`() async throws {
        let made = try make(.none, 1, .framedV2, excess: 7)
        let found = await conclusions(on: [made], concurrency: 1, prover: .shared)
        guard case .examined(let capture)? = found.first, case .found(let media) = made.media else {
            Issue.record("\(found)")
            return
        }
        #expect(capture.outcome.rejection == nil)
        #expect(capture.photoBytes == media.photo.readableBytes)
        #expect(capture.depthBytes == media.depth.readableBytes)
    }

    @Test(arguments: [1, 2, 5], [0, 1, 2, 7, 8, 15, 16, 17, 256])
    func `portions cover a batch, none larger than the lanes or a thread's share`(
        _ concurrency: Int, _ count: Int
    ) {
        let verifier = BatchVerifier(
            concurrency: concurrency, hasher: BundleHasher(concurrency: concurrency), prover: nil,
            verifier: CaptureVerifier(configuration: configuration, now: { Self.now }), running: RunningVerifications(),
            faults: .none)
        let portions = verifier.portions(of: count)
        #expect(portions.flatMap(Array.init) == Array(0..<count))
        let share = max(1, (count + concurrency - 1) / concurrency)
        #expect(portions.dropLast().allSatisfy { $0.count == min(SignatureProver.lanes, share) })
        #expect(portions.last.map { $0.count <= min(SignatureProver.lanes, share) } ?? (count == 0))
    }
}
