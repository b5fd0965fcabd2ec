import AppAttest
import Crypto

/// Answers questions about assertions.
struct AssertionQuestion {
    private let verifier = AssertionVerifier()

    /// Verifies as the fields say; throws a fault if they do not say enough.
    func answer(_ fields: VerificationFields) throws(VerificationFault) -> VerificationAnswer {
        let app = try fields.app()
        let publicKey = try fields.assertionPublicKey()
        let assertion = try fields.required(.assertion)
        let clientDataHash = try fields.clientDataHash(orDigestOf: .clientData)
        var answer = VerificationAnswer(.accepted)
        do throws(AppAttest.AssertionError) {
            let verified = try verifier.verify(
                assertion, clientDataHash: clientDataHash, publicKey: try key(publicKey, of: assertion), appID: app)
            answer.counter = verified.counter
            answer.publicKey = publicKey
            answer.keyID = Array(SHA256.hash(data: publicKey))
            answer.appID = app.text
            answer.extensions = verified.extensions
            if let previous = fields.previousCounter { try verified.requireCounter(above: previous) }
        } catch {
            answer.verdict = .rejected
            answer.reason = error.code.rawValue
            answer.step = error.step
            answer.detail = error.message
        }
        return answer
    }

    /// Reads the key (step 2), unless the assertion cannot be parsed (step 1).
    private func key(
        _ publicKey: [UInt8], of assertion: [UInt8]
    ) throws(AppAttest.AssertionError) -> AssertionKey {
        do throws(AppAttest.AssertionError) {
            return try AssertionKey(publicKey)
        } catch let fault {
            do throws(AppAttest.AssertionError) { _ = try verifier.parse(assertion) } catch {
                if error.step < fault.step { throw error }
            }
            throw fault
        }
    }
}
