import CaptureModel
import CaptureOperations

/// What a form asks for dead letters, as its field `action` says it: `redrive`, `discard-group`, `redrive-all`.
struct LetterAction {
    /// Which of them.
    enum Scope: String {
        /// The letters that the form names one by one; the field then names no scope.
        case chosen
        /// The letters of the form's `group`: those of one reason and fault.
        case group
        case all
    }

    let verb: LetterVerb
    let scope: Scope

    /// Whether the letters are shown before it is done: it cannot be undone, or nobody has chosen them one by one.
    var asksFirst: Bool { verb == .discard || scope != .chosen }

    /// Reads the field.
    /// - Throws: `VALIDATION_ERROR` for any other text.
    init(_ text: String?) throws(APIError) {
        let words = (text ?? "").utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1).map { String(Substring($0)) }
        guard let verb = words.first.flatMap(LetterVerb.init(word:)) else {
            throw .invalid("action", "must be redrive or discard")
        }
        guard let scope = words.count == 1 ? .chosen : Scope(word: words[1]) else {
            throw .invalid("action", "must be for the chosen, a group or all")
        }
        self.verb = verb
        self.scope = scope
    }
}
