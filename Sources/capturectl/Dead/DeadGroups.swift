import CaptureModel
import CaptureQueue

/// Dead letters counted by reason and fault.
struct DeadGroups {
    private struct Key: Hashable {
        let reason: String
        let fault: String
    }

    /// What letters of one reason and fault have in common.
    struct Group: Encodable {
        let reason: String
        let fault: String
        var captures = 0
        var bytes = 0
        var oldest: String
        var newest: String
        var devices: Int { deviceIDs.count }
        fileprivate var deviceIDs: Set<DeviceID> = []

        enum CodingKeys: String, CodingKey {
            case reason, fault, captures, bytes, oldest, newest, devices
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(reason, forKey: .reason)
            try container.encode(fault, forKey: .fault)
            try container.encode(captures, forKey: .captures)
            try container.encode(devices, forKey: .devices)
            try container.encode(bytes, forKey: .bytes)
            try container.encode(oldest, forKey: .oldest)
            try container.encode(newest, forKey: .newest)
        }
    }

    /// The groups as JSON.
    struct Document: Encodable {
        let groups: [Group]
        let total: Int
    }

    private var groups: [Key: Group] = [:]

    /// Counts letters, which come oldest first.
    mutating func add(_ letters: [DeadLetter]) {
        for letter in letters {
            let key = Key(reason: letter.status.reason?.rawValue ?? "", fault: letter.status.fault ?? "")
            let moment = letter.diedAt.rfc3339
            var group = groups[key] ?? Group(reason: key.reason, fault: key.fault, oldest: moment, newest: moment)
            group.captures += 1
            group.bytes += letter.photoBytes + letter.depthBytes
            group.newest = moment
            group.deviceIDs.insert(letter.status.device)
            groups[key] = group
        }
    }

    /// The largest first.
    var sorted: [Group] {
        groups.values.sorted { ($1.captures, $0.reason, $0.fault) < ($0.captures, $1.reason, $1.fault) }
    }

    /// The groups as JSON.
    func document(total: Int) -> Document { Document(groups: sorted, total: total) }

    /// The groups as a table.
    func text(total: Int, terminal: Terminal = .current) -> String {
        guard !groups.isEmpty else { return total == 0 ? "no dead letters" : "none of \(total) dead letters matches" }
        var table = TextTable([
            ("captures", .trailing), ("devices", .trailing), ("size", .trailing), ("newest", .leading),
            ("reason", .leading), ("fault", .leading),
        ])
        for group in sorted {
            table.append([
                "\(group.captures)", "\(group.devices)", Wording.bytes(group.bytes), String(group.newest.prefix(16)),
                group.reason, group.fault,
            ])
        }
        return table.text(for: terminal, flexible: 5)
    }
}
