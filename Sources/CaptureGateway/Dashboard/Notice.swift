import CaptureModel
import CaptureStore

/// What was done just now, carried to the next page by its query: a word of ours and a number, with a session's mark.
struct Notice: Sendable {
    enum Verb: String, CaseIterable { case redriven, discarded, revoked, compromised, uncounted, unchanged }

    let verb: Verb
    let count: Int
    /// How many more were meant, but were no dead letters any more.
    let missing: Int
    /// Whether the audit lists letters as done that were not.
    let isAuditAhead: Bool

    init(verb: Verb, count: Int, missing: Int = 0, isAuditAhead: Bool = false) {
        self.verb = verb
        self.count = count
        self.missing = missing
        self.isAuditAhead = isAuditAhead
    }

    init?(_ fields: FormFields) {
        guard let verb = fields["done"].flatMap({ Verb(word: $0) }),
            let count = fields["count"].flatMap({ Int($0) }), count >= 0
        else { return nil }
        self.init(
            verb: verb, count: count, missing: fields["missing"].flatMap { Int($0) } ?? 0,
            isAuditAhead: fields["audit"] == "ahead")
    }

    /// Reads the notice of this user's own action; another site's link cannot know the mark.
    init?(_ fields: FormFields, of user: DashboardUser) {
        self.init(fields)
        guard let mark = fields["mark"], ReaderTokens.isSame(mark, self.mark(user)) else { return nil }
    }

    /// The query of the page that tells it.
    func query(for user: DashboardUser) -> String { "\(words)&mark=\(mark(user))" }

    private func mark(_ user: DashboardUser) -> String {
        String(SHA256Digest.hash(Array("\(user.formToken)|\(words)".utf8)).hex.prefix(16))
    }

    private var words: String {
        let others = missing > 0 ? "&missing=\(missing)" : ""
        return "done=\(verb.rawValue)&count=\(count)\(others)\(isAuditAhead ? "&audit=ahead" : "")"
    }

    var text: String {
        isAuditAhead
            ? "\(deed) The audit also lists captures that were no longer dead letters; correcting it failed." : deed
    }

    private var deed: String {
        let orMore = count >= DeviceTally.countMax ? " or more" : ""
        let results = "\(Wording.number(count))\(orMore) verified \(count == 1 ? "result is" : "results are")"
        return switch verb {
        case .redriven: letters("put back\(count == 1 ? "" : ", each") at the end of its lane")
        case .discarded: letters("deleted for good")
        case .revoked: "The device was revoked."
        case .compromised: "The device was revoked, and \(results) marked."
        case .uncounted: "The device was revoked, and its verified results since then are marked."
        case .unchanged:
            "Nothing changed: the device had been revoked before; since when, by whom and why is said below. Of two "
                + "moments the earlier one holds. The audit has both."
        }
    }

    /// How many letters were changed, and how many of the chosen ones were not.
    private func letters(_ done: String) -> String {
        let others = Wording.number(missing)
        guard count == 0 else {
            let captures = "\(Wording.number(count)) \(count == 1 ? "capture was" : "captures were") \(done)."
            switch missing {
            case 0: return captures
            case 1: return "\(captures) 1 other was no longer a dead letter."
            default: return "\(captures) \(others) others were no longer dead letters."
            }
        }
        switch missing {
        case 0: return "No capture was chosen."
        case 1: return "1 capture was chosen: it was no longer a dead letter."
        default: return "\(others) captures were chosen: none of them was still a dead letter."
        }
    }
}
