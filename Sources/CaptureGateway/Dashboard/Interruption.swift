import CaptureModel
import CaptureOperations

/// How far an action on several captures came before a fault ended it.
struct Interruption {
    private let outcome: QueueActions.Outcome
    private let count: Int
    private let verb: LetterVerb

    init(_ outcome: QueueActions.Outcome, of count: Int, _ verb: LetterVerb) {
        self.outcome = outcome
        self.count = count
        self.verb = verb
    }

    /// Whether all was done that could be.
    var isNone: Bool { outcome.interrupted.isEmpty && outcome.unknown.isEmpty }

    /// What the page of the failure says.
    func error(of failure: APIError) -> APIError {
        let participle = verb.participle
        var parts = [
            failure.message, "\(participle): \(Wording.number(outcome.done)) of \(Wording.number(count))",
            "not \(participle): \(Wording.number(outcome.interrupted.count))",
        ]
        func add(_ words: String, _ captures: [CaptureID]) {
            if !captures.isEmpty { parts.append("\(words): \(Wording.number(captures.count))") }
        }
        add("outcome unknown", outcome.unknown)
        add("no longer dead letters", outcome.missing)
        add("without a row in the ledger", outcome.rowless)
        if outcome.isAuditAhead { parts.append("the audit lists some as \(participle) that were not") }
        return APIError(
            failure.code, parts.joined(separator: "; "), retryAfter: failure.retryAfter, cause: failure.cause)
    }
}
