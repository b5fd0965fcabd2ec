import CaptureModel

/// A provenance result as JSON.
///
/// Members without a value are `null`; no place is ever among them.
struct ProvenanceDocument: Encodable, Sendable {
    /// One check as JSON.
    private struct CheckDocument: Encodable {
        let check: Check

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberName.self)
            try container.encode(check.name, forKey: "name")
            try container.encode(check.outcome, forKey: "outcome")
            try container.encode(check.reason, forKey: "reason")
            try container.encode(check.reason?.explanation, forKey: "explanation")
        }
    }

    private let result: ProvenanceResult

    init(_ result: ProvenanceResult) {
        self.result = result
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try encodeSigner(&container)
        try container.encode(result.photoDigest, forKey: "photo_sha256")
        try container.encode(result.depthDigest, forKey: "depth_sha256")
        try container.encode(result.metadataDigest, forKey: "metadata_sha256")
        try container.encode(result.clientDataHash, forKey: "client_data_sha256")
        try container.encode(result.checks.map { CheckDocument(check: $0) }, forKey: "checks")
        try container.encode(result.rollout, forKey: "rollout")
        try container.encode(result.verdict, forKey: "verdict")
        try container.encode(result.reason, forKey: "reason")
        try container.encode(result.reason?.explanation(redriven: result.isRedriven), forKey: "explanation")
        try container.encode(result.confidence, forKey: "confidence")
        try container.encode(result.attempts, forKey: "attempts")
        try container.encode(result.isRedriven, forKey: "redriven")
        try container.encode(result.capturedAt, forKey: "captured_at")
        try container.encode(result.receivedAt, forKey: "received_at")
        try container.encode(result.verifiedAt, forKey: "verified_at")
        try container.encode(result.processorVersion, forKey: "processor_version")
    }

    /// Who signed, and how.
    private func encodeSigner(_ container: inout KeyedEncodingContainer<MemberName>) throws {
        try container.encode(result.id, forKey: "capture_id")
        try container.encode(result.device, forKey: "device_id")
        try container.encode(result.keyID, forKey: "key_id")
        try container.encode(result.attestationLevel, forKey: "attestation_level")
        try container.encode(result.environment, forKey: "environment")
        try container.encode(result.appID, forKey: "app_id")
        try container.encode(result.trustRoot, forKey: "trust_root")
        try container.encode(result.risk?.metric, forKey: "risk_metric")
        try container.encode(result.risk?.at, forKey: "risk_metric_at")
        try container.encode(result.riskWarning, forKey: "risk_warning")
        try container.encode(result.compromisedSince, forKey: "compromised_since")
        try container.encode(result.counter, forKey: "counter")
        try container.encode(result.counterPolicy, forKey: "counter_policy")
        try container.encode(result.binding, forKey: "binding")
    }
}
