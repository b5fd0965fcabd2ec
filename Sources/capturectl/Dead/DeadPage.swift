import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore

/// A page of dead letters as it is printed.
struct DeadPage: Encodable {
    let letters: [DeadLetter]
    /// Whether it is the first page.
    let isFirst: Bool
    let hasMore: Bool
    /// How many there are in all, whatever the filter.
    let total: Int

    enum CodingKeys: String, CodingKey {
        case letters = "dead_letters"
        case next, total
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(letters.map { DeadLetterDocument($0) }, forKey: .letters)
        try container.encode(next, forKey: .next)
        try container.encode(total, forKey: .total)
    }

    private var next: String? { hasMore ? letters.last?.position.description : nil }

    /// The table, and how to go on.
    func text(now: Timestamp, terminal: Terminal = .current) -> String {
        guard !letters.isEmpty else {
            guard isFirst else { return "no more dead letters" }
            return total == 0 ? "no dead letters" : "none of \(total) dead letters matches"
        }
        let isWide = terminal.columns.map { $0 >= 150 } ?? true
        var table = TextTable(
            [
                ("capture", .leading), ("ago", .trailing), ("tries", .trailing), ("size", .trailing),
                ("reason", .leading), ("fault", .leading),
            ] + (isWide ? [("device", .leading)] : [])
        )
        for letter in letters {
            table.append(
                [
                    "\(letter.id)", Wording.age(now.since(letter.diedAt)), "\(letter.status.attempts)",
                    letter.bytes == .gone ? "gone" : Wording.bytes(letter.photoBytes + letter.depthBytes),
                    letter.status.reason?.rawValue ?? "", letter.status.fault ?? "",
                ] + (isWide ? ["\(letter.status.device)"] : [])
            )
        }
        var lines = [table.text(for: terminal, flexible: 5)]
        if let next {
            lines.append("")
            lines.append("more: --after \(next)   (\(total) dead letters in all)")
        }
        return lines.joined(separator: "\n")
    }
}

/// A dead letter as JSON.
struct DeadLetterDocument: Encodable {
    private let letter: DeadLetter
    /// What was done to it; `nil` where nobody looked.
    private let trail: AuditTrail?

    init(_ letter: DeadLetter, trail: AuditTrail? = nil) {
        self.letter = letter
        self.trail = trail
    }

    enum CodingKeys: String, CodingKey {
        case capture = "capture_id"
        case device = "device_id"
        case reason, explanation, fault, attempts, deliveries, redriven, audit
        case auditCut = "audit_cut"
        case receivedAt = "received_at"
        case claimedAt = "claimed_at"
        case diedAt = "died_at"
        case photoBytes = "photo_bytes"
        case depthBytes = "depth_bytes"
        case bundleStore = "bundle_store"
        case hasBytes = "bytes_kept"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("\(letter.id)", forKey: .capture)
        try container.encode("\(letter.status.device)", forKey: .device)
        try container.encode(letter.status.reason?.rawValue, forKey: .reason)
        try container.encode(letter.status.reason?.explanation, forKey: .explanation)
        try container.encode(letter.status.fault, forKey: .fault)
        try container.encode(letter.status.attempts, forKey: .attempts)
        try container.encode(letter.deliveries, forKey: .deliveries)
        try container.encode(letter.status.redriven, forKey: .redriven)
        try container.encode(letter.status.receivedAt.rfc3339, forKey: .receivedAt)
        try container.encode(letter.status.claimedAt?.rfc3339, forKey: .claimedAt)
        try container.encode(letter.diedAt.rfc3339, forKey: .diedAt)
        try container.encode(letter.photoBytes, forKey: .photoBytes)
        try container.encode(letter.depthBytes, forKey: .depthBytes)
        try container.encode(letter.bundleStore?.rawValue, forKey: .bundleStore)
        try container.encode(letter.bytes == .unseen ? nil : letter.bytes == .kept, forKey: .hasBytes)
        try container.encodeIfPresent(trail?.documents, forKey: .audit)
        try container.encodeIfPresent(trail?.isCut, forKey: .auditCut)
    }
}
