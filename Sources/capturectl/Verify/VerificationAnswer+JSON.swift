import AppAttest
import CaptureModel

extension VerificationAnswer: Encodable {
    /// Writes the keys of the evidence's kind, always all of them.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        // `encode`, not `encodeIfPresent`: unknown values are null.
        try container.encode(verdict, forKey: "verdict")
        try container.encode(reason, forKey: "reason")
        try container.encode(step, forKey: "step")
        try container.encode(detail, forKey: "detail")
        guard verdict != .error else { return }
        try container.encode(publicKey.map(Base64Text.encode), forKey: "public_key")
        try container.encode(keyID.map(Base64Text.encode), forKey: "key_id")
        try container.encode(appID, forKey: "app_id")
        if let receipt { return try Self.encode(receipt, &container) }
        try container.encode(counter, forKey: "counter")
        try container.encode(extensions?.validationCategory, forKey: "validation_category")
        try container.encode(extensions?.bundleVersion, forKey: "bundle_version")
        if let attestation { try Self.encode(attestation, &container) }
    }

    private static func encode(
        _ attestation: Attestation, _ container: inout KeyedEncodingContainer<MemberName>
    ) throws {
        try container.encode(attestation.environment, forKey: "environment")
        try container.encode(attestation.osVersion, forKey: "os_version")
        try container.encode(attestation.leafNotBefore, forKey: "leaf_not_before")
        try container.encode(attestation.leafNotAfter, forKey: "leaf_not_after")
        try container.encode(attestation.trustRoot, forKey: "trust_root")
    }

    private static func encode(_ receipt: Receipt, _ container: inout KeyedEncodingContainer<MemberName>) throws {
        try container.encode(receipt.type, forKey: "type")
        try container.encode(receipt.environment, forKey: "environment")
        try container.encode(receipt.creationTime, forKey: "creation_time")
        try container.encode(receipt.notBefore, forKey: "not_before")
        try container.encode(receipt.expirationTime, forKey: "expiration_time")
        try container.encode(receipt.riskMetric, forKey: "risk_metric")
        try container.encode(receipt.token, forKey: "token")
        try container.encode(receipt.isBoundToAttestation, forKey: "bound_to_attestation")
        try container.encode(receipt.signer, forKey: "signer")
        try container.encode(receipt.trustRoot, forKey: "trust_root")
    }
}
