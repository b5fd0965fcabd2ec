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

        enum CodingKeys: String, CodingKey {
            case step, outcome, reason, detail
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(finding.step, forKey: .step)
            try container.encode(finding.outcome, forKey: .outcome)
            try container.encode(finding.reason, forKey: .reason)
            try container.encode(finding.detail, forKey: .detail)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case verdict, steps, unsigned, recorded, counter, binding, environment
        case recordedReason = "recorded_reason"
        case compromisedSince = "compromised_since"
        case photo = "photo_sha256"
        case depth = "depth_sha256"
        case metadata = "metadata_sha256"
        case clientData = "client_data_sha256"
        case captureID = "capture_id"
        case deviceID = "device_id"
        case appID = "app_id"
        case trustRoot = "trust_root"
        case receivedAt = "received_at"
    }

    /// Writes the findings of the steps, and what only the record says.
    ///
    /// The latter are ids, verdict, reason, compromise and time of receipt, which `unsigned` lists among others.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(findings.verdict, forKey: .verdict)
        try container.encode(findings.findings.map { Step(finding: $0) }, forKey: .steps)
        try container.encode(evidence.unsignedMembers, forKey: .unsigned)
        try container.encode(evidence.result.capture, forKey: .captureID)
        try container.encode(evidence.result.device, forKey: .deviceID)
        try container.encode(evidence.result.verdict, forKey: .recorded)
        try container.encode(evidence.result.reason, forKey: .recordedReason)
        try container.encode(evidence.result.compromisedSince, forKey: .compromisedSince)
        try container.encode(evidence.result.photoDigest, forKey: .photo)
        try container.encode(evidence.result.depthDigest, forKey: .depth)
        try container.encode(evidence.result.metadataDigest, forKey: .metadata)
        try container.encode(evidence.result.clientDataHash, forKey: .clientData)
        try container.encode(evidence.result.counter, forKey: .counter)
        try container.encode(evidence.result.binding, forKey: .binding)
        try container.encode(evidence.result.receivedAt, forKey: .receivedAt)
        try container.encode(findings.attestation?.appID.text, forKey: .appID)
        try container.encode(findings.attestation?.environment, forKey: .environment)
        try container.encode(
            findings.attestation.map { VerificationAnswer.Root($0.trustRoot) }, forKey: .trustRoot)
    }
}
