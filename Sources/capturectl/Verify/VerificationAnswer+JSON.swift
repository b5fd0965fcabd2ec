import AppAttest

extension VerificationAnswer: Encodable {
    private enum Key: String, CodingKey {
        case verdict, reason, step, detail, counter, environment, type, token, signer
        case publicKey = "public_key"
        case keyID = "key_id"
        case appID = "app_id"
        case osVersion = "os_version"
        case validationCategory = "validation_category"
        case bundleVersion = "bundle_version"
        case leafNotBefore = "leaf_not_before"
        case leafNotAfter = "leaf_not_after"
        case creationTime = "creation_time"
        case notBefore = "not_before"
        case expirationTime = "expiration_time"
        case riskMetric = "risk_metric"
        case isBoundToAttestation = "bound_to_attestation"
        case trustRoot = "trust_root"
    }

    /// Writes the keys of the evidence's kind, always all of them.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // `encode`, not `encodeIfPresent`: unknown values are null.
        try container.encode(verdict, forKey: .verdict)
        try container.encode(reason, forKey: .reason)
        try container.encode(step, forKey: .step)
        try container.encode(detail, forKey: .detail)
        guard verdict != .error else { return }
        try container.encode(publicKey.map(Base64Text.encode), forKey: .publicKey)
        try container.encode(keyID.map(Base64Text.encode), forKey: .keyID)
        try container.encode(appID, forKey: .appID)
        if let receipt { return try Self.encode(receipt, &container) }
        try container.encode(counter, forKey: .counter)
        try container.encode(extensions?.validationCategory, forKey: .validationCategory)
        try container.encode(extensions?.bundleVersion, forKey: .bundleVersion)
        if let attestation { try Self.encode(attestation, &container) }
    }

    private static func encode(_ attestation: Attestation, _ container: inout KeyedEncodingContainer<Key>) throws {
        try container.encode(attestation.environment, forKey: .environment)
        try container.encode(attestation.osVersion, forKey: .osVersion)
        try container.encode(attestation.leafNotBefore, forKey: .leafNotBefore)
        try container.encode(attestation.leafNotAfter, forKey: .leafNotAfter)
        try container.encode(attestation.trustRoot, forKey: .trustRoot)
    }

    private static func encode(_ receipt: Receipt, _ container: inout KeyedEncodingContainer<Key>) throws {
        try container.encode(receipt.type, forKey: .type)
        try container.encode(receipt.environment, forKey: .environment)
        try container.encode(receipt.creationTime, forKey: .creationTime)
        try container.encode(receipt.notBefore, forKey: .notBefore)
        try container.encode(receipt.expirationTime, forKey: .expirationTime)
        try container.encode(receipt.riskMetric, forKey: .riskMetric)
        try container.encode(receipt.token, forKey: .token)
        try container.encode(receipt.isBoundToAttestation, forKey: .isBoundToAttestation)
        try container.encode(receipt.signer, forKey: .signer)
        try container.encode(receipt.trustRoot, forKey: .trustRoot)
    }
}
