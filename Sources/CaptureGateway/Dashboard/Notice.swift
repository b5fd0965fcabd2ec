import CaptureStore

/// What was done just now, carried to the next page by its query: a word of ours and a number.
struct Notice: Sendable {
    enum Verb: String, CaseIterable { case redriven, discarded, revoked, compromised }

    let verb: Verb
    let count: Int
    /// Whether the audit names some as done that were not.
    let isAuditAhead: Bool

    init(verb: Verb, count: Int, isAuditAhead: Bool = false) {
        self.verb = verb
        self.count = count
        self.isAuditAhead = isAuditAhead
    }

    init?(_ fields: FormFields) {
        guard let verb = fields["done"].flatMap({ Verb(rawValue: $0) }),
            let count = fields["count"].flatMap({ Int($0) })
        else { return nil }
        self.init(verb: verb, count: count, isAuditAhead: fields["audit"] == "ahead")
    }

    var query: String { "done=\(verb.rawValue)&count=\(count)\(isAuditAhead ? "&audit=ahead" : "")" }

    var text: String {
        isAuditAhead ? "\(deed) The audit names others that were no dead letters any more: it could not be told." : deed
    }

    private var deed: String {
        let captures = "\(Wording.number(count)) \(count == 1 ? "capture was" : "captures were")"
        let orMore = count >= DeviceTally.countMax ? " or more" : ""
        let results = "\(Wording.number(count))\(orMore) verified \(count == 1 ? "result is" : "results are")"
        return switch verb {
        case .redriven: "\(captures) put back at the end of the lane."
        case .discarded: "\(captures) deleted for good."
        case .revoked: "The device was revoked."
        case .compromised: "The device was revoked, and \(results) marked."
        }
    }
}
