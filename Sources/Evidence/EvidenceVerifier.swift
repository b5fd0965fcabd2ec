public import AppAttest
import CaptureModel
import Crypto

/// Verifies evidence again from the beginning, offline: what the record says of it is believed nowhere.
///
/// What it cannot tell is what only the record knows: that the counter was used for no other capture, and that the
/// device was not revoked.
public struct EvidenceVerifier: Sendable {
    private let attestations: AttestationVerifier
    private let assertions = AssertionVerifier()
    private let appIDs: [AppID]

    /// Takes the apps, environments and roots that are believed.
    public init(policy: AttestationPolicy) {
        attestations = AttestationVerifier(policy: policy)
        appIDs = policy.appIDs
    }

    /// Goes through all steps, whatever becomes of the ones before.
    /// - Parameters:
    ///   - photo: The photo as uploaded, where it is at hand.
    ///   - depth: The depth map as uploaded.
    public func verify(_ evidence: CaptureEvidence, photo: [UInt8]? = nil, depth: [UInt8]? = nil) -> EvidenceFindings {
        var findings: [EvidenceFindings.Finding] = []
        let attested = attestation(of: evidence.key, &findings)
        findings.append(.init(.key, keyFault(evidence.key, attested)))
        let result = evidence.result
        findings.append(.init(.metadata, Self.digestFault(evidence.metadata, result.metadataDigest)))
        findings.append(.init(.photo, Self.digestFault(photo, result.photoDigest)))
        findings.append(.init(.depth, Self.digestFault(depth, result.depthDigest)))
        assertion(evidence, attested, photo, depth, &findings)
        return EvidenceFindings(findings: findings, attestation: attested)
    }

    private func attestation(
        of key: CaptureEvidence.Key?, _ findings: inout [EvidenceFindings.Finding]
    ) -> VerifiedAttestation? {
        guard let key, let object = key.attestation, let hash = key.clientDataHash else {
            findings.append(.init(.attestation, .notAttested))
            return nil
        }
        do throws(AttestationError) {
            let verified = try attestations.verify(
                attestation: object, keyID: key.id.bytes, clientDataHash: hash, at: key.registeredAt.date)
            findings.append(.init(.attestation, nil))
            return verified
        } catch {
            findings.append(
                .init(step: .attestation, outcome: .fail, reason: error.code.rawValue, detail: error.message))
            return nil
        }
    }

    private func keyFault(
        _ key: CaptureEvidence.Key?, _ attested: VerifiedAttestation?
    ) -> EvidenceFindings.Finding.Code? {
        guard let key, let publicKey = key.publicKey else { return .keyMissing }
        let isAttested = attested.map { $0.publicKey == publicKey } ?? true
        return isAttested && KeyID(publicKey: publicKey) == key.id ? nil : .keyMismatch
    }

    private static func digestFault(
        _ bytes: [UInt8]?, _ digest: CaptureModel.SHA256Digest
    ) -> EvidenceFindings.Finding.Code? {
        guard let bytes else { return .notGiven }
        return CaptureModel.SHA256Digest.hash(bytes) == digest ? nil : .digestMismatch
    }

    private func assertion(
        _ evidence: CaptureEvidence, _ attested: VerifiedAttestation?, _ photo: [UInt8]?, _ depth: [UInt8]?,
        _ findings: inout [EvidenceFindings.Finding]
    ) {
        guard let publicKey = evidence.key?.publicKey else {
            return findings += [.init(.assertion, .keyMissing), .init(.counter, .notEvaluated)]
        }
        guard let hash = Self.clientDataHash(evidence.result, photo, depth) else {
            return findings += [.init(.assertion, .bytesNeeded), .init(.counter, .notEvaluated)]
        }
        do throws(AssertionError) {
            let parsed = try assertions.parse(evidence.assertion)
            // An attested key is for one app; of another the assertion itself says for which of those believed.
            let app = attested?.appID ?? appIDs.first { $0.rpIDHash == parsed.rpIDHash } ?? appIDs.first
            guard let app else {
                return findings += [.init(.assertion, .notEvaluated), .init(.counter, .notEvaluated)]
            }
            let verified = try assertions.verify(
                parsed, clientDataHash: hash.bytes, publicKey: try AssertionKey(x963: publicKey), appID: app)
            findings.append(.init(.assertion, nil))
            findings.append(.init(.counter, verified.counter == evidence.result.counter ? nil : .counterMismatch))
        } catch {
            findings.append(.init(step: .assertion, outcome: .fail, reason: error.code.rawValue, detail: error.message))
            findings.append(.init(.counter, .notEvaluated))
        }
    }

    /// `nil` when the signature is over bytes that are not at hand.
    private static func clientDataHash(
        _ result: CaptureEvidence.Result, _ photo: [UInt8]?, _ depth: [UInt8]?
    ) -> CaptureModel.SHA256Digest? {
        switch result.binding {
        case .framedV2:
            return Binding.framedV2Hash(
                photo: result.photoDigest, depth: result.depthDigest, metadata: result.metadataDigest)
        case .concatV1:
            guard let photo, let depth else { return nil }
            var hasher = SHA256()
            hasher.update(data: photo)
            hasher.update(data: depth)
            return Binding.concatV1Hash(hasher)
        }
    }
}
