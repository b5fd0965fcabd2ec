import CaptureModel

/// A provenance result as JSON.
///
/// Members without a value are `null`; no place is ever among them.
struct ProvenanceDocument: Encodable, Sendable {
    /// One check as JSON.
    private struct CheckDocument: Encodable {
        let check: Check

        enum CodingKeys: String, CodingKey {
            case name, outcome, reason, explanation
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(check.name, forKey: .name)
            try container.encode(check.outcome, forKey: .outcome)
            try container.encode(check.reason, forKey: .reason)
            try container.encode(check.reason?.explanation, forKey: .explanation)
        }
    }

    private let result: ProvenanceResult

    init(_ result: ProvenanceResult) {
        self.result = result
    }

    enum CodingKeys: String, CodingKey {
        case captureID = "capture_id"
        case device = "device_id"
        case keyID = "key_id"
        case attestationLevel = "attestation_level"
        case environment
        case appID = "app_id"
        case trustRoot = "trust_root"
        case counter
        case counterPolicy = "counter_policy"
        case binding
        case photoDigest = "photo_sha256"
        case depthDigest = "depth_sha256"
        case metadataDigest = "metadata_sha256"
        case clientDataHash = "client_data_sha256"
        case checks, verdict, reason, explanation, confidence, attempts, redriven
        case capturedAt = "captured_at"
        case receivedAt = "received_at"
        case verifiedAt = "verified_at"
        case processorVersion = "processor_version"
        case riskMetric = "risk_metric"
        case riskMetricAt = "risk_metric_at"
        case riskWarning = "risk_warning"
        case compromisedSince = "compromised_since"
        case rollout
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try encodeSigner(&container)
        try container.encode(result.photoDigest, forKey: .photoDigest)
        try container.encode(result.depthDigest, forKey: .depthDigest)
        try container.encode(result.metadataDigest, forKey: .metadataDigest)
        try container.encode(result.clientDataHash, forKey: .clientDataHash)
        try container.encode(result.checks.map { CheckDocument(check: $0) }, forKey: .checks)
        try container.encode(result.rollout, forKey: .rollout)
        try container.encode(result.verdict, forKey: .verdict)
        try container.encode(result.reason, forKey: .reason)
        try container.encode(result.reason?.explanation(redriven: result.isRedriven), forKey: .explanation)
        try container.encode(result.confidence, forKey: .confidence)
        try container.encode(result.attempts, forKey: .attempts)
        try container.encode(result.isRedriven, forKey: .redriven)
        try container.encode(result.capturedAt, forKey: .capturedAt)
        try container.encode(result.receivedAt, forKey: .receivedAt)
        try container.encode(result.verifiedAt, forKey: .verifiedAt)
        try container.encode(result.processorVersion, forKey: .processorVersion)
    }

    /// Who signed, and how.
    private func encodeSigner(_ container: inout KeyedEncodingContainer<CodingKeys>) throws {
        try container.encode(result.id, forKey: .captureID)
        try container.encode(result.device, forKey: .device)
        try container.encode(result.keyID, forKey: .keyID)
        try container.encode(result.attestationLevel, forKey: .attestationLevel)
        try container.encode(result.environment, forKey: .environment)
        try container.encode(result.appID, forKey: .appID)
        try container.encode(result.trustRoot, forKey: .trustRoot)
        try container.encode(result.risk?.metric, forKey: .riskMetric)
        try container.encode(result.risk?.at, forKey: .riskMetricAt)
        try container.encode(result.riskWarning, forKey: .riskWarning)
        try container.encode(result.compromisedSince, forKey: .compromisedSince)
        try container.encode(result.counter, forKey: .counter)
        try container.encode(result.counterPolicy, forKey: .counterPolicy)
        try container.encode(result.binding, forKey: .binding)
    }
}
