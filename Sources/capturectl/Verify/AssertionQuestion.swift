import AppAttest
import Crypto

/// Answers questions about assertions.
struct AssertionQuestion {
    private let verifier = AssertionVerifier()

    /// Verifies as the fields say; a fault means that they do not say enough.
    func answer(_ fields: VerificationFields) throws(VerificationFault) -> VerificationAnswer {
        let apps = try fields.apps()
        guard apps.count == 1, let app = apps.first else {
            throw .invalid("app_id", "is more than the one app that the key was registered for")
        }
        let publicKey = Self.x963(try fields.required(.publicKey))
        let assertion = try fields.required(.assertion)
        let clientDataHash = try fields.clientDataHash(orDigestOf: .clientData)
        var answer = VerificationAnswer(.accepted)
        do throws(AppAttest.AssertionError) {
            let key = try AssertionKey(x963: publicKey)
            let verified = try verifier.verify(assertion, clientDataHash: clientDataHash, publicKey: key, appID: app)
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

    /// The key as X9.63 when it came as SubjectPublicKeyInfo; any other bytes as they are.
    private static func x963(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count != 65, let key = try? P256.Signing.PublicKey(derRepresentation: bytes) else { return bytes }
        return Array(key.x963Representation)
    }
}
