import AppAttest
import CaptureModel
import Evidence

/// The answer of `capturectl evidence verify`; its keys are a contract, and all are always present.
struct EvidenceAnswer: Encodable {
    private let evidence: CaptureEvidence
    private let findings: EvidenceFindings

    init(_ evidence: CaptureEvidence, _ findings: EvidenceFindings) {
        self.evidence = evidence
        self.findings = findings
    }

    private struct Step: Encodable {
        let finding: EvidenceFindings.Finding

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberName.self)
            try container.encode(finding.step, forKey: "step")
            try container.encode(finding.outcome, forKey: "outcome")
            try container.encode(finding.reason, forKey: "reason")
            try container.encode(finding.detail, forKey: "detail")
        }
    }

    /// Writes the findings of the steps, and what only the record says.
    ///
    /// The latter are ids, verdict, reason, compromise and time of receipt, which `unsigned` lists among others.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(findings.verdict, forKey: "verdict")
        try container.encode(findings.findings.map { Step(finding: $0) }, forKey: "steps")
        try container.encode(evidence.unsignedMembers, forKey: "unsigned")
        try container.encode(evidence.result.capture, forKey: "capture_id")
        try container.encode(evidence.result.device, forKey: "device_id")
        try container.encode(evidence.result.verdict, forKey: "recorded")
        try container.encode(evidence.result.reason, forKey: "recorded_reason")
        try container.encode(evidence.result.compromisedSince, forKey: "compromised_since")
        try container.encode(evidence.result.photoDigest, forKey: "photo_sha256")
        try container.encode(evidence.result.depthDigest, forKey: "depth_sha256")
        try container.encode(evidence.result.metadataDigest, forKey: "metadata_sha256")
        try container.encode(evidence.result.clientDataHash, forKey: "client_data_sha256")
        try container.encode(evidence.result.counter, forKey: "counter")
        try container.encode(evidence.result.binding, forKey: "binding")
        try container.encode(evidence.result.receivedAt, forKey: "received_at")
        try container.encode(findings.attestation?.appID.text, forKey: "app_id")
        try container.encode(findings.attestation?.environment, forKey: "environment")
        try container.encode(
            findings.attestation.map { VerificationAnswer.Root($0.trustRoot) }, forKey: "trust_root")
    }
}
