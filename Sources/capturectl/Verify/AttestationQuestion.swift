import AppAttest
import CaptureModel

/// Answers questions about attestations.
struct AttestationQuestion {
    /// The settings that a verifier is made from.
    private struct Settings: Hashable {
        var appIDs: [AppID]
        var environments: Set<AttestEnvironment>
        var roots: [String]
        var requireReceipt: Bool
        var verifyReceipt: Bool
        var clientDataHashBytes: Int
    }

    private let now: TimeSource
    private var verifiers = VerifierCache<Settings, AttestationVerifier>()

    init(now: @escaping TimeSource) {
        self.now = now
    }

    /// Verifies as the fields say; throws a fault if they do not say enough.
    ///
    /// A clientDataHash may have any length, because Apple's samples have their challenge in its place: whoever asks
    /// names the one that the attestation must be for.
    mutating func answer(_ fields: VerificationFields) throws(VerificationFault) -> VerificationAnswer {
        let appIDs = try fields.apps()
        let keyID = try fields.required(.keyID)
        let attestation = try fields.required(.attestation)
        let clientDataHash = try fields.clientDataHash(orDigestOf: .challenge)
        let moment = try fields.moment(now)
        let verifier = try verifier(fields, appIDs, clientDataHashBytes: clientDataHash.count)
        do throws(AttestationError) {
            let verified = try verifier.verify(
                attestation: attestation, keyID: keyID, clientDataHash: clientDataHash, at: moment)
            return VerificationAnswer(verified)
        } catch {
            var answer = VerificationAnswer(
                .rejected, reason: error.receipt?.code.rawValue ?? error.code.rawValue, step: error.step,
                detail: error.receipt?.message ?? error.message)
            answer.attestation = VerificationAnswer.Attestation()
            return answer
        }
    }

    private mutating func verifier(
        _ fields: VerificationFields, _ appIDs: [AppID], clientDataHashBytes: Int
    ) throws(VerificationFault) -> AttestationVerifier {
        let settings = Settings(
            appIDs: appIDs, environments: try fields.environments() ?? [.production], roots: fields.roots,
            requireReceipt: fields.requireReceipt ?? true, verifyReceipt: fields.verifyReceipt ?? false,
            clientDataHashBytes: clientDataHashBytes)
        return try verifiers.verifier(for: settings) { () throws(VerificationFault) in
            var policy = AttestationPolicy(
                appIDs: settings.appIDs, environments: settings.environments,
                roots: try fields.trustRoots(orApples: .appleAppAttestation), requireReceipt: settings.requireReceipt,
                limits: AttestationPolicy.Limits(clientDataHashBytes: settings.clientDataHashBytes))
            if settings.verifyReceipt {
                policy.receipts = ReceiptPolicy(roots: try fields.trustRoots(orApples: .appleRootG3))
            }
            return AttestationVerifier(policy: policy)
        }
    }
}
