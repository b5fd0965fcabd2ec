import AppAttest
import CaptureModel
import FoundationEssentials

/// Answers questions about attestations; keeps a verifier per policy, so that many lines share its cache.
struct AttestationQuestion {
    /// What a verifier depends on.
    private struct Settings: Hashable {
        var appIDs: [AppID]
        var environments: Set<AppAttest.AttestEnvironment>
        var roots: [String]
        var requireReceipt: Bool
    }

    private let now: TimeSource
    private var verifiers: [Settings: AttestationVerifier] = [:]
    private static let verifiersMax = 64

    init(now: @escaping TimeSource) {
        self.now = now
    }

    /// Verifies as the fields say; a fault means that they do not say enough.
    mutating func answer(_ fields: VerificationFields) throws(VerificationFault) -> VerificationAnswer {
        let verifier = try verifier(fields)
        let keyID = try fields.required(.keyID)
        let attestation = try fields.required(.attestation)
        let clientDataHash = try fields.clientDataHash(orDigestOf: .challenge)
        let moment = try moment(fields)
        do throws(AttestationError) {
            let verified = try verifier.verify(
                attestation: attestation, keyID: keyID, clientDataHash: clientDataHash, at: moment)
            return VerificationAnswer(verified)
        } catch {
            var answer = VerificationAnswer(
                .rejected, reason: error.code.rawValue, step: error.step, detail: error.message)
            answer.attestation = VerificationAnswer.Attestation()
            return answer
        }
    }

    private func moment(_ fields: VerificationFields) throws(VerificationFault) -> Date {
        guard let text = fields.at else { return now().date }
        guard let moment = Timestamp(rfc3339: text) else { throw .invalid("at", "is not an RFC 3339 time") }
        return moment.date
    }

    private mutating func verifier(_ fields: VerificationFields) throws(VerificationFault) -> AttestationVerifier {
        let settings = Settings(
            appIDs: try fields.apps(), environments: try Self.environments(fields.environment), roots: fields.roots,
            requireReceipt: fields.requireReceipt ?? true)
        if let verifier = verifiers[settings] { return verifier }
        let verifier = AttestationVerifier(
            policy: AttestationPolicy(
                appIDs: settings.appIDs, environments: settings.environments, roots: try Self.roots(fields.roots),
                requireReceipt: settings.requireReceipt))
        if verifiers.count >= Self.verifiersMax { verifiers.removeAll() }
        verifiers[settings] = verifier
        return verifier
    }

    private static func environments(
        _ text: String?
    ) throws(VerificationFault) -> Set<AppAttest.AttestEnvironment> {
        guard let text else { return [.production] }
        if text == "any" { return Set(AppAttest.AttestEnvironment.allCases) }
        guard let environment = AppAttest.AttestEnvironment(rawValue: text) else {
            throw .invalid("environment", "is not production, development or any")
        }
        return [environment]
    }

    /// The roots that were given, in place of Apple's.
    private static func roots(_ pems: [String]) throws(VerificationFault) -> [TrustRoot] {
        guard !pems.isEmpty else { return [.appleAppAttestation] }
        var roots: [TrustRoot] = []
        for pem in pems {
            do throws(AttestationError) {
                roots.append(try TrustRoot(pem: pem))
            } catch {
                throw .invalid("root", "is not a certificate in PEM")
            }
        }
        return roots
    }
}
