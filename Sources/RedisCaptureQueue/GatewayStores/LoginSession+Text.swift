import CaptureModel
import CaptureQueue

/// A login as Redis has it: its token's digest, a space, and the name.
extension LoginSession {
    /// The text of the login.
    var text: String { "\(token.hex) \(name)" }

    /// Reads what ``text`` has written; `nil` for any other text.
    init?(text: String) {
        // Scalars, not characters: a name that begins with a combining mark makes one character with the space.
        let parts = text.unicodeScalars.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let token = SHA256Digest(hex: String(parts[0])) else { return nil }
        self.init(token: token, name: String(parts[1]))
    }
}
