import CaptureModel
import CaptureStore

extension ReceiptStanding {
    /// For people.
    var text: String {
        let reason = reason.map { " (\($0))" } ?? ""
        let next = nextAt.map { "due \($0.rfc3339)" } ?? "never due by itself"
        return "\(outcome.rawValue)\(reason), received \(receivedAt.rfc3339), \(next)"
    }
}

extension AttestationHistory {
    /// For people, one a line, and a note if there are more.
    var lines: [String] {
        var lines = entries.map(\.text)
        if isCut { lines.insert("others between are in the table attestations", at: 1) }
        return lines
    }
}

extension AttestationSummary {
    /// For people.
    var text: String {
        let facts: [(String, String?)] = [
            ("iOS", osVersion), ("app", bundleVersion),
            ("category", validationCategory.map(String.init)),
        ]
        let known = facts.compactMap { name, value in value.map { "\(name) \($0)" } }
        return (["\(at.rfc3339)  \(model)"] + known).joined(separator: ", ")
    }
}

extension DeviceCheckState {
    /// For people.
    var text: String {
        let bits = [bit0, bit1].compactMap { $0.map { $0 ? "1" : "0" } }.joined(separator: " ")
        let more = [bits.isEmpty ? nil : "bits \(bits)", lastUpdate.map { "of \($0)" }, reason]
        return ([standing.rawValue] + more.compactMap { $0 }).joined(separator: ", ")
    }
}
