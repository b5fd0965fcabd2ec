public import AppAttest
import CaptureInspection
import CaptureModel
import Crypto
import StrictJSON

/// Verifies evidence again from the beginning, offline: no statement of the record is trusted.
///
/// It cannot find out what only the record knows: that no other capture used the counter, that the device was not
/// revoked, and the values of ``CaptureEvidence/unsignedMembers``. The signature of `concat-v1` does not say where the
/// photo ends and the depth map begins either: the same bytes cut elsewhere, with other digests, are accepted as long
/// as the photo is a JPEG.
public struct EvidenceVerifier: Sendable {
    private let attestations: AttestationVerifier
    private let assertions = AssertionVerifier()
    private let appIDs: [AppID]

    /// Takes the apps, environments and roots that are trusted.
    ///
    /// The policy's rules for versions and categories are applied to the attestation alone. No receipt is required or
    /// verified, whatever the policy says: it proves nothing about the key, nobody signs it together with the
    /// attestation, and only the operator needs it, for Apple's servers. A clientDataHash is a SHA-256, whatever length
    /// the policy names: in documents it is always one.
    public init(policy: AttestationPolicy) {
        var policy = policy
        policy.requireReceipt = false
        policy.receipts = nil
        policy.limits.clientDataHashBytes = SHA256.byteCount
        attestations = AttestationVerifier(policy: policy)
        appIDs = policy.appIDs
    }

    /// Makes all steps, however the ones before end.
    /// - Parameters:
    ///   - photo: The photo as uploaded, where it is at hand.
    ///   - depth: The depth map as uploaded.
    public func verify(_ evidence: CaptureEvidence, photo: [UInt8]? = nil, depth: [UInt8]? = nil) -> EvidenceFindings {
        var findings: [EvidenceFindings.Finding] = []
        let attested = attestation(of: evidence.key, &findings)
        findings.append(.init(.key, keyFault(evidence.key, attested)))
        let result = evidence.result
        findings.append(Self.metadata(evidence.metadata, result))
        findings.append(.init(.photo, Self.photoFault(photo, result)))
        findings.append(.init(.depth, Self.depthFault(depth, result)))
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
        _ bytes: [UInt8], _ digest: CaptureModel.SHA256Digest
    ) -> EvidenceFindings.Finding.Code? {
        return CaptureModel.SHA256Digest.hash(bytes) == digest ? nil : .digestMismatch
    }

    /// Unsigned metadata never pass: that the document has their digest too says nothing about their origin.
    ///
    /// Signed metadata may come from a release that verified one reading of an ambiguous text, so they must be strict
    /// JSON. The assertion's step does not need the metadata: `framed-v2` signs their digest, and `concat-v1` does not
    /// sign them.
    private static func metadata(
        _ metadata: [UInt8]?, _ result: CaptureEvidence.Result
    ) -> EvidenceFindings.Finding {
        guard let metadata else { return .init(.metadata, .notGiven) }
        if let fault = digestFault(metadata, result.metadataDigest) { return .init(.metadata, fault) }
        guard result.binding.coversMetadata else { return .init(.metadata, .notSigned) }
        do throws(JSONFault) {
            try JSONWalk.members(of: metadata)
            return .init(.metadata, nil)
        } catch {
            let code = EvidenceFindings.Finding.Code.metadataMalformed
            return .init(
                step: .metadata, outcome: .fail, reason: code.rawValue, detail: "\(code.explanation): \(error)")
        }
    }

    /// With `concat-v1` only the photo's structure tells a capture from other signed bytes.
    ///
    /// Those are a signed request, or the text that `framed-v2` signs, cut in two. The worker rejects a photo that is
    /// no JPEG, and so does this.
    private static func photoFault(
        _ photo: [UInt8]?, _ result: CaptureEvidence.Result
    ) -> EvidenceFindings.Finding.Code? {
        guard let photo else { return result.absentBytesFault }
        if let fault = digestFault(photo, result.photoDigest) { return fault }
        guard result.binding == .concatV1 else { return nil }
        do throws(JPEGError) {
            _ = try JPEGWalker(limits: photoLimits).walk(photo.span)
            return nil
        } catch {
            return error.code == .limitExceeded ? .photoTooLarge : .photoMalformed
        }
    }

    /// The widest limits that the settings allow: narrower ones of a system are no evidence against a photo.
    private static let photoLimits = JPEGLimits(
        pixelsMax: 1_000_000_000, segmentsMax: 65_536, scansMax: 1024, metadataBytesMax: 64 << 20)

    private static func depthFault(
        _ depth: [UInt8]?, _ result: CaptureEvidence.Result
    ) -> EvidenceFindings.Finding.Code? {
        guard let depth else { return result.absentBytesFault }
        if let fault = digestFault(depth, result.depthDigest) { return fault }
        return result.binding == .concatV1 && depth.isEmpty ? .depthMalformed : nil
    }

    private func assertion(
        _ evidence: CaptureEvidence, _ attested: VerifiedAttestation?, _ photo: [UInt8]?, _ depth: [UInt8]?,
        _ findings: inout [EvidenceFindings.Finding]
    ) {
        guard let publicKey = evidence.key?.publicKey else {
            return findings += [.init(.assertion, .keyMissing), .init(.counter, .notEvaluated)]
        }
        let hash = evidence.result.clientDataHash
        guard Self.clientDataHash(evidence.result, photo, depth) ?? hash == hash else {
            return findings += [.init(.assertion, .digestMismatch), .init(.counter, .notEvaluated)]
        }
        do throws(AssertionError) {
            let parsed = try assertions.parse(evidence.assertion)
            // An attested key is for one app; for another key the assertion itself says for which of the trusted apps
            // it is.
            guard let app = appIDs.app(for: parsed, attested: attested?.appID.text) else {
                return findings += [.init(.assertion, .notEvaluated), .init(.counter, .notEvaluated)]
            }
            let verified = try assertions.verify(
                SignedAssertion(parsed, clientDataHash: hash.bytes, publicKey: try AssertionKey(publicKey)),
                appID: app)
            findings.append(.init(.assertion, nil))
            findings.append(.init(.counter, Self.counterFault(verified.counter, evidence.result.counter)))
        } catch {
            findings.append(.init(step: .assertion, outcome: .fail, reason: error.code.rawValue, detail: error.message))
            findings.append(.init(.counter, .notEvaluated))
        }
    }

    private static func counterFault(_ signed: UInt32, _ recorded: UInt32?) -> EvidenceFindings.Finding.Code? {
        guard let recorded else { return .notEvaluated }
        return signed == recorded ? nil : .counterMismatch
    }

    /// Computed from the given bytes and digests; `nil` when signed bytes are missing.
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

extension CaptureEvidence.Result {
    /// The finding when photo or depth map is missing: where the digests are signed, they replace the bytes.
    fileprivate var absentBytesFault: EvidenceFindings.Finding.Code {
        switch binding {
        case .framedV2: .notGiven
        case .concatV1: .bytesNeeded
        }
    }
}
