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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(letters.map { DeadLetterDocument($0) }, forKey: "dead_letters")
        try container.encode(next, forKey: "next")
        try container.encode(total, forKey: "total")
    }

    private var next: String? { hasMore ? letters.last?.position.description : nil }

    /// The table, and how to go on.
    func text(now: Timestamp, terminal: Terminal = .current) -> String {
        guard !letters.isEmpty else {
            guard isFirst else { return "no more dead letters" }
            return total == 0 ? "no dead letters" : "no match among \(TerminalText.count(total, "dead letter"))"
        }
        // 80 columns have no room for attempts and size, and a truncated device id is useless.
        let width = terminal.columns ?? .max
        let (hasSize, hasDevice) = (width >= 100, width >= 150)
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("capture", .leading), ("ago", .trailing), ("reason", .leading), ("fault", .leading),
        ]
        if hasSize { columns.insert(contentsOf: [("tries", .trailing), ("size", .trailing)], at: 2) }
        if hasDevice { columns.append(("device", .leading)) }
        var table = TextTable(columns)
        for letter in letters {
            var row = [
                "\(letter.id)", TerminalText.age(now.since(letter.diedAt)), letter.status.reason?.rawValue ?? "",
                letter.status.fault ?? "",
            ]
            if hasSize {
                row.insert(contentsOf: ["\(letter.status.attempts)", Self.size(letter)], at: 2)
            }
            if hasDevice { row.append("\(letter.status.device)") }
            table.append(row)
        }
        var lines = [table.text(for: terminal, flexible: hasSize ? 5 : 3)]
        if let next {
            lines.append("")
            lines.append("more: --after \(next)   (\(TerminalText.count(total, "dead letter")) in all)")
        }
        return lines.joined(separator: "\n")
    }

    private static func size(_ letter: DeadLetter) -> String {
        switch letter.bytes {
        case .gone: "gone"
        case .notFound: "not found"
        case .kept, .unseen, .unknown: letter.size.map { TerminalText.bytes($0) } ?? "—"
        }
    }
}

/// A dead letter as JSON.
struct DeadLetterDocument: Encodable {
    private let letter: DeadLetter
    /// Its audit entries; `nil` if unknown.
    private let trail: AuditTrail?
    /// Whether the document includes the audit.
    private let isWhole: Bool

    /// Takes a letter of a list, without its audit.
    init(_ letter: DeadLetter) {
        (self.letter, trail, isWhole) = (letter, nil, false)
    }

    /// Takes a letter with its audit, as far as known.
    init(_ letter: DeadLetter, trail: AuditTrail?) {
        (self.letter, self.trail, isWhole) = (letter, trail, true)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(letter.id, forKey: "capture_id")
        try container.encode(letter.status.device, forKey: "device_id")
        try container.encode(letter.status.reason, forKey: "reason")
        try container.encode(letter.status.reason?.explanation, forKey: "explanation")
        try container.encode(letter.status.fault, forKey: "fault")
        try container.encode(letter.status.attempts, forKey: "attempts")
        try container.encode(letter.deliveries, forKey: "deliveries")
        try container.encode(letter.status.isRedriven, forKey: "redriven")
        try container.encode(letter.status.receivedAt, forKey: "received_at")
        try container.encode(letter.status.claimedAt, forKey: "claimed_at")
        try container.encode(letter.diedAt, forKey: "died_at")
        try container.encode(letter.photoBytes, forKey: "photo_bytes")
        try container.encode(letter.depthBytes, forKey: "depth_bytes")
        try container.encode(letter.bundleStore?.rawValue, forKey: "bundle_store")
        try container.encode(letter.bytes.areKept, forKey: "bytes_kept")
        guard isWhole else { return }
        try container.encode(trail?.documents, forKey: "audit")
        try container.encode(trail?.isCut, forKey: "audit_cut")
    }
}
