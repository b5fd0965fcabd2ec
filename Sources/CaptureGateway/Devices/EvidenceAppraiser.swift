import AppAttest
import CaptureModel
import FoundationEssentials
import Observability
import Rollout

/// Decides what a registration's evidence is worth.
///
/// It asks no server, and goes by the moment that it is given. Its only effect is to tell the metrics what it found and
/// how long that took.
struct EvidenceAppraiser: Sendable {
    private let verifier: AttestationVerifier
    private let receipts: ReceiptVerifier
    private let policy: RegistrationPolicy
    private let rollout: RolloutInForce

    init(trust: GatewayConfiguration.Trust, validity: GatewayConfiguration.Validity, rollout: RolloutInForce) {
        verifier = AttestationVerifier(
            policy: AttestationPolicy(appIDs: trust.appIDs, environments: trust.environments, roots: trust.roots))
        // A receipt is made together with its attestation, which may come for as long as its challenge is good: in an
        // enrolment, longer than Apple's five minutes. The clientDataHash of the receipt shows that it is the
        // attestation's own, and so as fresh as the challenge.
        var taken = ReceiptPolicy(roots: trust.receiptRoots)
        taken.ageMax = max(validity.challengeLifetime, validity.enrolmentLifetime) + taken.clockSkewMax
        receipts = ReceiptVerifier(policy: taken)
        policy = trust.registrationPolicy
        self.rollout = rollout
    }

    /// What the evidence is worth.
    struct Appraisal {
        let registration: DeviceRegistration
        /// What the app's rollout says of an attested device; `nil` where it is off, and for any other device.
        let rollout: RolloutRuling?
    }

    /// An attestation as it came, for which device, and when.
    private struct Exhibit {
        let claim: RegistrationClaim
        let object: [UInt8]
        let keyID: KeyID
        let clientDataHash: [UInt8]
        let device: DeviceID
        let now: Timestamp
    }

    /// Verifies the evidence at a moment.
    /// - Throws: `ATTESTATION_FAILED` under the policy `reject`, and when the app's rollout does not take the device;
    ///   `SIGNATURE_INVALID` for a plain key that did not sign.
    func appraise(_ claim: RegistrationClaim, as id: DeviceID, at now: Timestamp) throws(APIError) -> Appraisal {
        switch claim.evidence {
        case .attestation(let object, let keyID):
            let exhibit = Exhibit(
                claim: claim, object: object, keyID: keyID, clientDataHash: SHA256Digest.hash(claim.challenge).bytes,
                device: id, now: now)
            let clock = ContinuousClock()
            let start = clock.now
            let result = Result { () throws(AttestationError) in
                try verifier.verify(
                    attestation: object, keyID: keyID.bytes, clientDataHash: exhibit.clientDataHash, at: now.date)
            }
            CaptureMetrics.attestationVerification(took: start.duration(to: clock.now))
            switch result {
            case .success(let attestation):
                return Appraisal(
                    registration: verified(exhibit, as: attestation), rollout: try judge(attestation, keyID))
            case .failure(let error):
                try refuseUnlessDegrading(error.code.rawValue)
                return Appraisal(registration: Self.degraded(exhibit, by: error), rollout: nil)
            }
        case .software(let algorithm, let key, let signature):
            try refuseUnlessDegrading(Device.attestationMissing)
            let message = RegistrationMessage.bytes(challenge: claim.challenge)
            guard Self.signed(message, algorithm, key, signature) else {
                CaptureMetrics.signatureFailure(.signatureInvalid)
                throw APIError(
                    .signatureInvalid,
                    "the key did not sign \(RegistrationMessage.purpose) and the challenge in digits")
            }
            return Appraisal(registration: Self.plain(claim, algorithm, key, id, now), rollout: nil)
        }
    }

    /// Whether a software key signed a message.
    private static func signed(
        _ message: [UInt8], _ algorithm: Device.KeyAlgorithm, _ key: [UInt8], _ signature: [UInt8]
    ) -> Bool {
        guard let key = try? AssertionKey(key, algorithm: algorithm) else { return false }
        return key.isValid(signature, for: message)
    }

    private func refuseUnlessDegrading(_ reason: String) throws(APIError) {
        guard policy == .degrade else {
            throw APIError(.attestationFailed, "the device was not attested", reason: reason)
        }
    }

    /// What the app's rollout says of a device whose attestation is good, whatever becomes of the device.
    private func judge(_ attestation: VerifiedAttestation, _ keyID: KeyID) throws(APIError) -> RolloutRuling? {
        let ruling = rollout.policy.ruling(
            on: RolloutDevice(key: keyID, osVersion: attestation.osVersion), of: attestation.appID,
            extensions: attestation.extensions)
        guard let ruling else { return nil }
        CaptureMetrics.rollouts([ruling], of: .attestation)
        if let reason = ruling.rejection {
            throw APIError(.attestationFailed, "the app's rollout does not take the device", reason: reason.rawValue)
        }
        return ruling
    }

    private func verified(_ exhibit: Exhibit, as attestation: VerifiedAttestation) -> DeviceRegistration {
        let claim = exhibit.claim
        let device = Device(
            id: exhibit.device, keyID: exhibit.keyID,
            key: .attested(
                publicKey: attestation.publicKey, environment: KeyEnvironment(attestation.environment),
                appID: attestation.appID.text, trustRoot: attestation.trustRoot.recordedName),
            platform: claim.platform, model: claim.model, hasLidar: claim.hasLidar, revokedAt: nil,
            registeredAt: exhibit.now, latestOSVersion: attestation.osVersion,
            attestedApp: AttestedApp(
                bundleVersion: attestation.extensions?.bundleVersion,
                validationCategory: attestation.extensions?.validationCategory))
        return DeviceRegistration(
            device: device, attestationObject: exhibit.object, clientDataHash: exhibit.clientDataHash,
            certificateChain: attestation.certificateChain, receipt: attestation.receipt,
            osVersion: attestation.osVersion, validationCategory: attestation.extensions?.validationCategory,
            bundleVersion: attestation.extensions?.bundleVersion,
            receiptRejection: rejection(ofReceiptIn: attestation, exhibit))
    }

    /// A bad receipt is no reason to refuse a device with a good attestation: it is kept, and never sent.
    private func rejection(
        ofReceiptIn attestation: VerifiedAttestation, _ exhibit: Exhibit
    ) -> ReceiptReason? {
        let expectation = ReceiptExpectation(
            appID: attestation.appID, publicKey: attestation.publicKey, clientDataHash: exhibit.clientDataHash,
            type: .attestation, environment: attestation.environment)
        do {
            _ = try receipts.verify(attestation.receipt, expectation, at: exhibit.now.date)
            return nil
        } catch {
            return ReceiptReason(error.code)
        }
    }

    /// The evidence is kept as it came, so that the decision can be made again.
    private static func degraded(_ exhibit: Exhibit, by error: AttestationError) -> DeviceRegistration {
        let (claim, keyID) = (exhibit.claim, exhibit.keyID)
        let publicKey = UnverifiedAttestation.publicKey(in: exhibit.object, keyID: keyID.bytes)
        let device = Device(
            id: exhibit.device, keyID: keyID,
            key: .unverified(.p256, publicKey: publicKey, reason: error.code.rawValue), platform: claim.platform,
            model: claim.model, hasLidar: claim.hasLidar, revokedAt: nil,
            registeredAt: exhibit.now)
        return DeviceRegistration(
            device: device, attestationObject: exhibit.object, clientDataHash: exhibit.clientDataHash,
            certificateChain: [], receipt: nil, osVersion: nil, validationCategory: nil, bundleVersion: nil)
    }

    private static func plain(
        _ claim: RegistrationClaim, _ algorithm: Device.KeyAlgorithm, _ key: [UInt8], _ id: DeviceID, _ now: Timestamp
    ) -> DeviceRegistration {
        let device = Device(
            id: id, keyID: KeyID(publicKey: key),
            key: .unverified(algorithm, publicKey: key, reason: Device.attestationMissing), platform: claim.platform,
            model: claim.model, hasLidar: claim.hasLidar, revokedAt: nil, registeredAt: now)
        return DeviceRegistration(
            device: device, attestationObject: nil, clientDataHash: nil, certificateChain: [], receipt: nil,
            osVersion: nil, validationCategory: nil, bundleVersion: nil)
    }
}
