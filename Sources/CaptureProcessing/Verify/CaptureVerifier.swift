import AppAttest
import CaptureInspection
import CaptureModel
import CaptureQueue
import NIOCore
import Rollout

/// Decides everything about a capture that follows from its own bytes and its device's key.
///
/// It does no input or output. It judges as of the moment of receipt; the present time is only recorded beside the
/// findings.
struct CaptureVerifier: Sendable {
    private let configuration: WorkerConfiguration
    private let assertions = AssertionVerifier()
    private let inspector: MediaInspector
    private let now: TimeSource

    init(configuration: WorkerConfiguration, now: @escaping TimeSource) {
        self.configuration = configuration
        self.now = now
        inspector = MediaInspector(limits: configuration.inspection)
    }

    /// Parses the assertion; the rest is taken as it is.
    func candidate(_ claimed: ClaimedJob, media: HashedMedia, device: KnownDevice?) -> Candidate {
        Candidate(
            claimed: claimed, media: media, device: device, signed: signedAssertion(claimed, media.content, device))
    }

    private func signedAssertion(
        _ claimed: ClaimedJob, _ content: HashedMedia.Content, _ device: KnownDevice?
    ) -> Result<SignedAssertion, Rejection>? {
        guard case .valid(let job) = claimed, case .found(_, let digests) = content, let device else { return nil }
        // A key that cannot be read has signed nothing.
        guard let key = device.key else { return .failure(Rejection(reason: .signatureInvalid)) }
        do throws(AssertionError) {
            let assertion = try assertions.parse(job.submission.assertion)
            return .success(
                SignedAssertion(assertion, clientDataHash: digests.clientDataHash.bytes, publicKey: key))
        } catch {
            return .failure(Rejection(reason: Reason(error)))
        }
    }

    /// Verifies one capture, and applies its app's rollout.
    func verify(_ candidate: Candidate, rollout: RolloutPolicy) -> CaptureConclusion {
        let job: CaptureJob
        switch candidate.claimed {
        case .valid(let valid): job = valid
        case .malformed(_, let fault): return .dead(.internal, "job malformed: \(fault)")
        }
        let submission = job.submission
        if let excess = configuration.excess(of: submission) { return .dead(.internal, excess) }
        let media: CaptureMedia
        let digests: BundleDigests
        switch candidate.media.content {
        case .found(let found, let hashed): (media, digests) = (found, hashed)
        case .missing: return .dead(.bundleMissing, Reason.bundleMissing.explanation)
        case .unreadable(let why): return .fault(.internal, why)
        }
        // Bytes that changed in storage are our own fault, not a forged capture; the store may still have good ones.
        guard digests.areAccepted(of: submission) else {
            return .fault(.bundleCorrupt, Reason.bundleCorrupt.explanation)
        }
        return judge(job, media: media, digests: digests, of: candidate, rollout: rollout)
    }

    private func judge(
        _ job: CaptureJob, media: CaptureMedia, digests: BundleDigests, of candidate: Candidate,
        rollout: RolloutPolicy
    ) -> CaptureConclusion {
        let device = candidate.device
        let findings = inspector.inspect(
            photo: media.photo.readableBytesUInt8Span, depth: media.depth.readableBytesUInt8Span,
            metadata: job.submission.metadata, binding: job.submission.binding, photoDigest: digests.photo,
            registered: device.map { RegisteredDevice($0.device) }, receivedAt: job.receivedAt
        )
        var list = CheckList(checks: findings.checks)
        list.note(.device, against: objection(to: device, job: job))
        // With concat-v1 only the photo's own structure tells a capture from a signed request: bytes that are no JPEG
        // never reach the counter.
        var authenticated: Authenticated?
        var ruling: RolloutRuling?
        if let device, let signed = candidate.signed, list.passed(.photoStructure), list.passed(.device) {
            authenticated = authenticate(signed, of: device, noting: &list)
            ruling = authenticated.flatMap {
                rollout.ruling(on: device.rolloutFacts, of: $0.appID, extensions: $0.extensions)
            }
            if let ruling { list.add(ruling.check) }
        } else {
            list.add(Check(.assertion, .unavailable, .notEvaluated))
        }
        var risk: JudgedRisk?
        if let warning = configuration.riskWarning, let known = device?.device {
            risk = RiskCheck.judged(of: known, warning: warning)
            list.add(RiskCheck.check(risk, of: known, at: job.receivedAt))
        }
        guard let outcome = outcome(of: list, device: device?.device, counter: authenticated?.counter) else {
            return .dead(.internal, "no check failed, and yet no device has signed the capture")
        }
        return .examined(
            ExaminedCapture(
                job: job, clientDataHash: digests.clientDataHash, photoBytes: media.photo.readableBytes,
                depthBytes: media.depth.readableBytes, checks: list.inOrder, outcome: outcome,
                capturedAt: findings.capturedAt, verifiedAt: now(), rollout: ruling, risk: risk))
    }

    /// What the checks come to; `nil` if none decides against the capture, and yet no device has signed it.
    ///
    /// That would be a fault of this software, and no reason to reject the capture.
    private func outcome(of list: CheckList, device: Device?, counter: UInt32?) -> ExaminedCapture.Outcome? {
        if let rejection = list.rejection { return .rejected(rejection, device: device, counter: counter) }
        guard let device, let counter else { return nil }
        return .acceptable(device: device, counter: counter, confidence: list.confidence(of: device.level))
    }

    /// The registration's objection to the capture, without revocation, which is left to the record.
    ///
    /// The record knows when the capture was received, and every revocation until then.
    private func objection(to known: KnownDevice?, job: CaptureJob) -> Reason? {
        guard let known else { return .deviceUnknown }
        if !configuration.bindings.contains(job.submission.binding) { return .bindingNotAllowed }
        return known.objection
    }

    /// The facts that a good signature covers.
    private struct Authenticated {
        let appID: AppID
        let counter: UInt32
        let extensions: AuthenticatorExtensions?
    }

    /// Notes whether the device's key has signed, and returns what it has signed.
    private func authenticate(
        _ signed: Result<SignedAssertion, Rejection>, of device: KnownDevice, noting list: inout CheckList
    ) -> Authenticated? {
        switch signed.flatMap({ authenticate($0, device: device) }) {
        case .success(let authenticated):
            list.note(.assertion, against: nil)
            return authenticated
        case .failure(let rejection):
            list.note(.assertion, against: rejection.reason)
            return nil
        }
    }

    /// Apple, "Validating apps that connect to your server", assertion steps 1 to 4; the counter is left to the record.
    private func authenticate(
        _ signed: SignedAssertion, device: KnownDevice
    ) -> Result<Authenticated, Rejection> {
        guard let appID = configuration.appIDs.app(for: signed.assertion, of: device.device) else {
            return .failure(Rejection(reason: .rpIDMismatch))
        }
        do throws(AssertionError) {
            let verified = try assertions.verify(signed, appID: appID)
            return .success(
                Authenticated(appID: appID, counter: verified.counter, extensions: verified.extensions))
        } catch {
            return .failure(Rejection(reason: Reason(error)))
        }
    }
}
