import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import RedisCaptureQueue

/// All that is known of one capture.
struct CaptureDocument: Encodable {
    let id: CaptureID
    let result: ProvenanceResult?
    /// Its status by the queue, or by the ledger alone; `nil` if it has a result.
    let status: JobStatus?
    /// The queue's record of the workers that had it, while it is open.
    let deliveries: QueueDoctor.Deliveries?
    let trail: AuditTrail

    /// `nil` if only the audit knows the capture.
    private var state: CaptureState? { result.map { CaptureState($0.verdict) } ?? status?.state }
    private var stateName: String { state?.rawValue ?? (isDiscarded ? "discarded" : "unknown") }
    /// A discard that was noted but not done does not count.
    private var isDiscarded: Bool { trail.entries.lastDone(of: [.captureDiscard]) != nil }
    private var device: DeviceID? { result?.device ?? status?.device }
    private var reason: Reason? { result?.reason ?? status?.reason }
    private var isRedriven: Bool { result?.isRedriven ?? status?.isRedriven ?? false }
    private var receivedAt: Timestamp? { result?.receivedAt ?? status?.receivedAt }
    private var claimedAt: Timestamp? { result?.claimedAt ?? status?.claimedAt }
    /// When it was settled; of a dead letter, which is not, when it was given up.
    private var settledAt: Timestamp? { result?.settledAt ?? status?.settledAt }

    private struct CheckDocument: Encodable {
        let name: Check.Name
        let outcome: Check.Outcome
        @OrNull var reason: Reason?
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(id, forKey: "capture_id")
        try container.encode(device, forKey: "device_id")
        try container.encode(stateName, forKey: "status")
        try container.encode(reason, forKey: "reason")
        try container.encode(reason?.explanation(redriven: isRedriven), forKey: "explanation")
        try container.encode(status?.fault, forKey: "fault")
        try container.encode(result?.confidence, forKey: "confidence")
        try container.encode(result?.counter, forKey: "counter")
        try container.encode(result?.counterPolicy, forKey: "counter_policy")
        try container.encode(result?.attempts ?? status?.attempts, forKey: "attempts")
        try container.encode(deliveries?.count, forKey: "deliveries")
        try container.encode(deliveries.map { $0.suspicion != .clear }, forKey: "suspect")
        try container.encode(isRedriven, forKey: "redriven")
        try container.encode(result?.binding, forKey: "binding")
        try container.encode(result?.attestationLevel, forKey: "attestation_level")
        try container.encode(result?.trustRoot, forKey: "trust_root")
        try container.encode(result?.photoDigest, forKey: "photo_sha256")
        try container.encode(result?.depthDigest, forKey: "depth_sha256")
        try container.encode(result?.metadataDigest, forKey: "metadata_sha256")
        try container.encode(result?.clientDataHash, forKey: "client_data_sha256")
        try container.encode(result?.capturedAt, forKey: "captured_at")
        try container.encode(receivedAt, forKey: "received_at")
        try container.encode(claimedAt, forKey: "claimed_at")
        try container.encode(status?.nextAttemptAt, forKey: "next_attempt_at")
        try container.encode(result?.verifiedAt, forKey: "verified_at")
        try container.encode(settledAt, forKey: "settled_at")
        try container.encode(result?.compromisedSince, forKey: "compromised_since")
        try container.encode(result?.processorVersion, forKey: "processor_version")
        let checks = (result?.checks ?? []).map {
            CheckDocument(name: $0.name, outcome: $0.outcome, reason: $0.reason)
        }
        try container.encode(checks, forKey: "checks")
        try container.encode(trail.documents, forKey: "audit")
        try container.encode(trail.isCut, forKey: "audit_cut")
    }

    /// The same for people.
    func text(on terminal: Terminal) -> String {
        var facts = FactList(on: terminal)
        facts.add("capture", "\(id)")
        facts.add("device", device?.description)
        facts.add("state", stateName, state?.tint ?? .notable)
        facts.add(
            "compromised",
            result?.compromisedSince.map { "its key may have been in other hands since \($0.rfc3339)" }, .bad)
        facts.add("reason", reason.map { "\($0.rawValue): \($0.explanation(redriven: isRedriven))" })
        facts.add("fault", status?.fault)
        facts.add("confidence", result.flatMap { $0.verdict == .verified ? $0.confidence.rawValue : nil })
        facts.add("counter", result?.counter.map { "\($0)" })
        facts.add("attempts", (result?.attempts ?? status?.attempts).map { "\($0)" })
        facts.add("deliveries", deliveries.map { "\($0.count)" + Self.words(for: $0.suspicion) })
        facts.add("redriven", isRedriven ? "yes" : nil)
        facts.add("attestation", result?.attestationLevel.rawValue)
        facts.add("trust root", result?.trustRoot)
        facts.add("captured", result?.capturedAt?.rfc3339)
        facts.add("received", receivedAt?.rfc3339)
        facts.add("claimed", claimedAt?.rfc3339)
        facts.add("next try", status?.nextAttemptAt?.rfc3339)
        facts.add("verified", result?.verifiedAt.rfc3339)
        facts.add(state == .failed ? "given up" : "settled", settledAt?.rfc3339)
        facts.add("photo", result.map { "sha256 \($0.photoDigest.hex)" })
        facts.add("depth map", result.map { "sha256 \($0.depthDigest.hex)" })
        facts.add("binding", result?.binding.rawValue)
        facts.add("audit", trail.lines)
        guard let checks = result?.checks, !checks.isEmpty else { return facts.text }
        return facts.text + "\n\n" + Self.table(of: checks).text(for: terminal, flexible: 2)
    }

    private static func words(for suspicion: Suspicion) -> String {
        switch suspicion {
        case .clear: ""
        case .slight: ", suspect: it is worked with a few others"
        case .grave: ", suspect: it is worked alone"
        }
    }

    private static func table(of checks: [Check]) -> TextTable {
        var table = TextTable([("check", .leading), ("outcome", .leading), ("reason", .leading)]) { column, text in
            guard column == 1 else { return nil }
            return switch text {
            case "pass": .good
            case "fail": .bad
            default: .faint
            }
        }
        for check in checks {
            let reason = check.reason.map { "\($0.rawValue): \($0.explanation)" } ?? ""
            table.append([check.name.rawValue, check.outcome.rawValue, reason])
        }
        return table
    }
}
