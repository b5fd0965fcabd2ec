package import CaptureStore

/// Redrive or discard: what an operator decides about dead letters.
package enum LetterVerb: String, CaseIterable, Sendable {
    /// They are put back at the ends of their devices' lanes.
    case redrive
    /// They and their bytes are deleted for good.
    case discard

    /// The participle for letters to which it was done.
    package var participle: String { self == .redrive ? "redriven" : "discarded" }

    /// Its action in the audit.
    package var audit: AuditAction { self == .redrive ? .captureRedrive : .captureDiscard }
}
