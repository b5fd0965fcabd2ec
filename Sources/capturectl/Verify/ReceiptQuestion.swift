import AppAttest
import CaptureModel

/// Answers questions about receipts.
struct ReceiptQuestion {
    /// The settings that a verifier is made from.
    private struct Settings: Hashable {
        var roots: [String]
        var isFresh: Bool
    }

    private let now: TimeSource
    private var verifiers = VerifierCache<Settings, ReceiptVerifier>()

    init(now: @escaping TimeSource) {
        self.now = now
    }

    /// Verifies as the fields say; throws a fault if they do not say enough.
    mutating func answer(_ fields: VerificationFields) throws(VerificationFault) -> VerificationAnswer {
        let verifier = try verifier(fields)
        let receipt = try fields.required(.receipt)
        let expectation = try Self.expectation(fields)
        let moment = try fields.moment(now)
        do throws(ReceiptError) {
            return VerificationAnswer(try verifier.verify(receipt, expectation, at: moment))
        } catch {
            var answer = VerificationAnswer(
                .rejected, reason: error.code.rawValue, step: error.step, detail: error.message)
            answer.receipt = VerificationAnswer.Receipt()
            return answer
        }
    }

    private static func expectation(_ fields: VerificationFields) throws(VerificationFault) -> ReceiptExpectation {
        let environments = try fields.environments()
        return ReceiptExpectation(
            appID: try fields.app(), publicKey: try fields.publicKeyX963(),
            clientDataHash: try fields.optionalClientDataHash(orDigestOf: .challenge),
            type: try fields.namedReceiptType(),
            environment: environments?.count == 1 ? environments?.first : nil, token: fields.token)
    }

    private mutating func verifier(_ fields: VerificationFields) throws(VerificationFault) -> ReceiptVerifier {
        let settings = Settings(roots: fields.roots, isFresh: fields.isFresh ?? true)
        return try verifiers.verifier(for: settings) { () throws(VerificationFault) in
            var policy = ReceiptPolicy(roots: try fields.trustRoots(orApples: .appleRootG3))
            if !settings.isFresh { policy.ageMax = nil }
            return ReceiptVerifier(policy: policy)
        }
    }
}
