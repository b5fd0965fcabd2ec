import AppAttest
import CaptureModel

/// The JSON object that answers one question; its keys are a contract, and each is always there.
struct VerificationAnswer: Encodable {
    /// How it ended.
    enum Verdict: String, Encodable {
        case accepted
        case rejected
        /// The question could not be asked; only among JSON lines.
        case error
    }

    /// Which root a chain ended in.
    struct Root: Encodable {
        var name: String
        var sha256: String
    }

    /// What only attestations tell.
    struct Attestation: Encodable {
        var environment: String?
        var osVersion: String?
        var leafNotBefore: String?
        var leafNotAfter: String?
        var trustRoot: Root?
    }

    var id: JSONValue?
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

    init(_ verdict: Verdict, reason: String? = nil, step: Int? = nil, detail: String? = nil) {
        self.verdict = verdict
        self.reason = reason
        self.step = step
        self.detail = detail
    }

    init(_ fault: VerificationFault) {
        self.init(.error, reason: fault.code.rawValue, detail: fault.detail)
    }

    private enum Key: String, CodingKey {
        case id, verdict, reason, step, detail, counter, environment
        case publicKey = "public_key"
        case keyID = "key_id"
        case appID = "app_id"
        case osVersion = "os_version"
        case validationCategory = "validation_category"
        case bundleVersion = "bundle_version"
        case leafNotBefore = "leaf_not_before"
        case leafNotAfter = "leaf_not_after"
        case trustRoot = "trust_root"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // `encode` and not `encodeIfPresent`: what is not known is null.
        if let id { try container.encode(id, forKey: .id) }
        try container.encode(verdict, forKey: .verdict)
        try container.encode(reason, forKey: .reason)
        try container.encode(step, forKey: .step)
        try container.encode(detail, forKey: .detail)
        guard verdict != .error else { return }
        try container.encode(counter, forKey: .counter)
        try container.encode(publicKey.map(Base64Text.encode), forKey: .publicKey)
        try container.encode(keyID.map(Base64Text.encode), forKey: .keyID)
        try container.encode(appID, forKey: .appID)
        try container.encode(extensions?.validationCategory, forKey: .validationCategory)
        try container.encode(extensions?.bundleVersion, forKey: .bundleVersion)
        guard let attestation else { return }
        try container.encode(attestation.environment, forKey: .environment)
        try container.encode(attestation.osVersion, forKey: .osVersion)
        try container.encode(attestation.leafNotBefore, forKey: .leafNotBefore)
        try container.encode(attestation.leafNotAfter, forKey: .leafNotAfter)
        try container.encode(attestation.trustRoot, forKey: .trustRoot)
    }
}

extension VerificationAnswer {
    /// What an accepted attestation tells.
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
            leafNotAfter: Timestamp(verified.leafNotAfter).rfc3339,
            trustRoot: Root(name: verified.trustRoot.name, sha256: verified.trustRoot.sha256))
    }
}
