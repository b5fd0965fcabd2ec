import AppAttest
import CaptureModel

/// The JSON object that answers one question; its keys are a contract, and all are always present.
struct VerificationAnswer {
    /// The verdict.
    enum Verdict: String, Encodable {
        case accepted
        case rejected
        /// The question could not be asked; only among JSON lines.
        case error
    }

    /// The root that a chain ended in.
    struct Root: Encodable {
        var name: String
        var sha256: String

        init(_ root: TrustRoot) {
            name = root.name
            sha256 = root.sha256
        }
    }

    /// The certificate that signed a receipt.
    struct Signer: Encodable {
        var name: String
        var notAfter: String

        private enum CodingKeys: String, CodingKey {
            case name
            case notAfter = "not_after"
        }
    }

    /// Findings of attestations only.
    struct Attestation {
        var environment: String?
        var osVersion: String?
        var leafNotBefore: String?
        var leafNotAfter: String?
        var trustRoot: Root?
    }

    /// Findings of receipts only.
    struct Receipt {
        var type: String?
        var environment: String?
        var creationTime: String?
        var notBefore: String?
        var expirationTime: String?
        var riskMetric: Int?
        var token: String?
        var isBoundToAttestation: Bool?
        var signer: Signer?
        var trustRoot: Root?
    }

    var verdict: Verdict
    var reason: String?
    var step: Int?
    var detail: String?
    var counter: UInt32?
    var publicKey: [UInt8]?
    var keyID: [UInt8]?
    var appID: String?
    var extensions: AuthenticatorExtensions?
    var attestation: Attestation?
    var receipt: Receipt?

    init(_ verdict: Verdict, reason: String? = nil, step: Int? = nil, detail: String? = nil) {
        self.verdict = verdict
        self.reason = reason
        self.step = step
        self.detail = detail
    }

    init(_ fault: VerificationFault) {
        self.init(.error, reason: fault.code.rawValue, detail: fault.detail)
    }
}

extension VerificationAnswer {
    /// Takes the findings of an accepted attestation.
    init(_ verified: VerifiedAttestation) {
        self.init(.accepted)
        counter = verified.counter
        publicKey = verified.publicKey
        keyID = verified.keyID
        appID = verified.appID.text
        extensions = verified.extensions
        attestation = Attestation(
            environment: verified.environment.rawValue, osVersion: verified.osVersion,
            leafNotBefore: Timestamp(verified.leafNotBefore).rfc3339,
            leafNotAfter: Timestamp(verified.leafNotAfter).rfc3339, trustRoot: Root(verified.trustRoot))
    }

    /// Takes the findings of an accepted receipt.
    init(_ verified: VerifiedReceipt) {
        self.init(.accepted)
        publicKey = verified.publicKey
        keyID = SHA256Digest.hash(verified.publicKey).bytes
        appID = verified.appID.text
        receipt = Receipt(
            type: verified.type.rawValue, environment: verified.environment?.rawValue,
            creationTime: Timestamp(verified.createdAt).rfc3339,
            notBefore: verified.notBefore.map { Timestamp($0).rfc3339 },
            expirationTime: Timestamp(verified.expiresAt).rfc3339, riskMetric: verified.riskMetric,
            token: verified.token, isBoundToAttestation: verified.isBoundToAttestation,
            signer: Signer(name: verified.signer, notAfter: Timestamp(verified.signerNotAfter).rfc3339),
            trustRoot: Root(verified.trustRoot))
    }
}
