import CaptureModel
import CaptureOperations

extension DeadLetterGroups {
    /// The groups as JSON.
    struct Document: Encodable {
        let groups: [GroupDocument]
        let total: Int
    }

    /// A group as JSON.
    struct GroupDocument: Encodable {
        let reason: String
        let fault: String
        let captures: Int
        let devices: Int
        let bytes: Int
        let oldest: String
        let newest: String

        init(_ group: Group) {
            (reason, fault) = (group.reason?.rawValue ?? "", group.fault)
            (captures, devices, bytes) = (group.captures, group.devices, group.bytes)
            (oldest, newest) = (group.oldest.rfc3339, group.newest.rfc3339)
        }
    }

    /// The groups as JSON, beside how many letters there are in all.
    func document(total: Int) -> Document { Document(groups: documents, total: total) }

    /// The groups as JSON, the largest first.
    var documents: [GroupDocument] { sorted.map { GroupDocument($0) } }

    /// The groups as a table.
    func text(total: Int, terminal: Terminal = .current) -> String {
        guard !isEmpty else {
            return total == 0 ? "no dead letters" : "no match among \(TerminalText.count(total, "dead letter"))"
        }
        var table = TextTable([
            ("captures", .trailing), ("devices", .trailing), ("size", .trailing), ("newest", .leading),
            ("reason", .leading), ("fault", .leading),
        ])
        for group in sorted {
            table.append([
                "\(group.captures)", "\(group.devices)", TerminalText.bytes(group.bytes),
                "\(group.newest.rfc3339.prefix(16))Z", group.reason?.rawValue ?? "", group.fault,
            ])
        }
        return table.text(for: terminal, flexible: 5)
    }
}
