import AppAttest
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport

/// A capture of a simulated phone whose key a test authority has attested, and the evidence of it.
struct EvidenceFixture {
    static let appID = "ABCDE12345.com.example.app"
    /// One for all fixtures that have none of their own.
    private static let shared: Result<TestCertificateAuthority, any Error> = Result {
        try TestCertificateAuthority(at: ManualTime().now.date)
    }

    /// The root of that authority.
    static func rootPEM() throws -> String { try shared.get().rootPEM }

    let authority: TestCertificateAuthority
    let phone = SimulatedDevice(appID: Self.appID)
    let registration: DeviceRegistration
    let now = ManualTime().now

    /// - Parameter own: An authority that attests this phone alone.
    init(under own: TestCertificateAuthority? = nil) throws {
        authority = try own ?? Self.shared.get()
        let hash = CaptureSigner.clientDataHash(challenge: [1, 2, 3]).bytes
        let object = try phone.attest(clientDataHash: hash, authority: authority, at: now.date)
        registration = Self.registration(phone, .secureEnclave, object, hash, at: now)
    }

    static func registration(
        _ phone: SimulatedDevice, _ level: AttestationLevel, _ object: [UInt8]?, _ hash: [UInt8]?, at now: Timestamp
    ) -> DeviceRegistration {
        let device = Device.phone(
            .of(level, publicKey: phone.publicKey, appID: phone.appID), model: phone.model, registeredAt: now)
        return DeviceRegistration(device: device, attestationObject: object, clientDataHash: hash)
    }

    /// The registration of this phone, its id and what vouches for it, with another key in the place of its own.
    func registration(holding key: DeviceKey) -> DeviceRegistration {
        let device = Device.phone(
            key, id: registration.device.id, keyID: phone.keyID, model: phone.model, registeredAt: now)
        return DeviceRegistration(
            device: device, attestationObject: registration.attestationObject,
            clientDataHash: registration.clientDataHash)
    }

    /// What believes the test authority, and this app.
    /// - Parameter change: What the policy says else.
    func verifier(
        appID: String = Self.appID, changing change: (inout AttestationPolicy) -> Void = { _ in }
    ) throws -> EvidenceVerifier {
        let apps = [AppID(appID)].compactMap { $0 }
        var policy = AttestationPolicy(appIDs: apps, roots: [try TrustRoot(pem: authority.rootPEM)])
        change(&policy)
        return EvidenceVerifier(policy: policy)
    }

    func signed(_ binding: Binding, seed: UInt64 = 1) throws -> SignedCapture {
        let capture = try SyntheticCapture(
            seed: seed, photoBytes: 60_000, capturedAt: now, binding: binding == .concatV1 ? nil : binding)
        return try CaptureSigner(device: phone, binding: binding).sign(capture)
    }

    /// The evidence of a capture that was settled: it is verified, and without a counter rejected.
    /// - Parameter note: What the record says else.
    func evidence(
        of signed: SignedCapture, counter: UInt32? = 1, by registration: DeviceRegistration? = nil,
        showing shown: SyntheticCapture? = nil, noting note: (inout ProvenanceResult) -> Void = { _ in }
    ) -> CaptureEvidence {
        let registration = registration ?? self.registration
        let shown = shown ?? signed.capture
        var generator = SystemRandomNumberGenerator()
        var result = ProvenanceResult(
            id: CaptureID.make(at: now, using: &generator), device: registration.device.id,
            keyID: registration.device.keyID, attestationLevel: registration.device.level,
            environment: registration.device.environment, appID: registration.device.appID, trustRoot: nil,
            counter: counter, counterPolicy: .strict, binding: signed.binding, photoDigest: .hash(shown.photo),
            depthDigest: .hash(shown.depthMap), metadataDigest: .hash(shown.metadata),
            clientDataHash: CaptureSigner.clientDataHash(of: shown, binding: signed.binding),
            checks: [Check(.assertion, .pass), Check(.counter, .pass)], verdict: .verified, reason: nil,
            confidence: registration.device.level.confidenceMax, attempts: 1, isRedriven: false, capturedAt: now,
            receivedAt: now, claimedAt: now, verifiedAt: now, settledAt: now, processorVersion: "test")
        if counter == nil { result.reject(.photoMalformed) }
        note(&result)
        return CaptureEvidence(
            result: .init(result), assertion: signed.assertion, metadata: shown.metadata, key: .init(registration))
    }
}

extension ProvenanceResult {
    /// Makes it the result of a capture that is rejected before its signature is looked at.
    mutating func reject(_ reason: Reason) {
        verdict = .rejected
        self.reason = reason
        confidence = .none
        checks = [Check(.assertion, .unavailable, .notEvaluated), Check(.counter, .unavailable, .notEvaluated)]
    }
}

extension EvidenceFindings {
    /// The reasons of the steps that did not pass.
    var reasons: [Step: String] {
        findings.reduce(into: [:]) { $0[$1.step] = $1.reason }
    }

    /// Those of a capture that is accepted with its photo and depth map.
    static func reasonsOfAccepted(_ binding: Binding) -> [Step: String] {
        switch binding {
        case .concatV1: [.metadata: "NOT_SIGNED"]
        case .framedV2: [:]
        }
    }
}
