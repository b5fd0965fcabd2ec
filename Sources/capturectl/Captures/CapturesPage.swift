import CaptureModel
import CaptureQueue
import CaptureStore

/// A page of captures as it is printed.
struct CapturesPage: Encodable {
    let captures: [ArchivedCapture]
    /// Where those without a result stand, as far as the queue knows them.
    let states: [CaptureID: JobStatus]
    /// Whether it begins with the newest capture.
    let isFirst: Bool
    let hasMore: Bool

    private enum CodingKeys: String, CodingKey {
        case captures, next
    }

    private struct Item: Encodable {
        let capture: ArchivedCapture
        let status: JobStatus?

        enum CodingKeys: String, CodingKey {
            case id = "capture_id"
            case device = "device_id"
            case state, reason, confidence, counter, attempts, redriven
            case receivedAt = "received_at"
            case verifiedAt = "verified_at"
            case compromisedSince = "compromised_since"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let result = capture.result
            try container.encode("\(capture.id)", forKey: .id)
            try container.encode("\(capture.device)", forKey: .device)
            try container.encode(CapturesPage.state(result, status), forKey: .state)
            try container.encode((result?.reason ?? status?.reason)?.rawValue, forKey: .reason)
            try container.encode(result?.confidence.rawValue, forKey: .confidence)
            try container.encode(result?.counter, forKey: .counter)
            try container.encode(result?.attempts ?? status?.attempts, forKey: .attempts)
            try container.encode(result?.redriven ?? status?.redriven, forKey: .redriven)
            try container.encode(capture.receivedAt.rfc3339, forKey: .receivedAt)
            try container.encode(result?.verifiedAt.rfc3339, forKey: .verifiedAt)
            try container.encode(result?.compromisedSince?.rfc3339, forKey: .compromisedSince)
        }
    }

    /// The state of a capture with a result, or without.
    ///
    /// What the ledger has open and the queue does not know is queued: the queue has lost it and gets it back.
    static func state(_ result: ArchivedCapture.Result?, _ status: JobStatus?) -> String {
        result?.verdict.rawValue ?? (status?.state ?? .queued).rawValue
    }

    /// The same for people, who are to see that a key may have been in other hands.
    private static func standing(_ result: ArchivedCapture.Result?, _ status: JobStatus?) -> String {
        state(result, status) + (result?.compromisedSince == nil ? "" : ", compromised")
    }

    private var next: String? { hasMore ? captures.last?.position.description : nil }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(captures.map { Item(capture: $0, status: states[$0.id]) }, forKey: .captures)
        try container.encode(next, forKey: .next)
    }

    /// The table, and how to go on.
    func text(now: Timestamp, on terminal: Terminal) -> String {
        guard !captures.isEmpty else { return isFirst ? "no captures" : "no more captures" }
        // A device's id that is cut is of no use, and on 80 columns a counter is too much as well.
        let width = terminal.columns ?? .max
        let (hasCounter, hasDevice) = (width >= 90, width >= 150)
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("capture", .leading), ("ago", .trailing), ("state", .leading), ("reason", .leading),
            ("confidence", .leading),
        ]
        if hasCounter { columns.append(("counter", .trailing)) }
        if hasDevice { columns.append(("device", .leading)) }
        var table = TextTable(columns) { column, text in
            guard column == 2 else { return nil }
            return switch text {
            case "verified": .good
            case "rejected", "failed": .bad
            default: text.hasSuffix("compromised") ? .bad : .notable
            }
        }
        for capture in captures {
            let (result, status) = (capture.result, states[capture.id])
            var row = [
                "\(capture.id)", Wording.age(now.since(capture.receivedAt)), Self.standing(result, status),
                (result?.reason ?? status?.reason)?.rawValue ?? "",
                result.map { $0.verdict == .verified ? $0.confidence.rawValue : "" } ?? "",
            ]
            if hasCounter { row.append(result?.counter.map { "\($0)" } ?? "") }
            if hasDevice { row.append("\(capture.device)") }
            table.append(row)
        }
        let more = next.map { "\n\nmore: --after \($0)" } ?? ""
        return table.text(for: terminal, flexible: 3) + more
    }
}
