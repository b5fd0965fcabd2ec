import CaptureModel
import CaptureQueue

/// A login as Redis has it: its proof in hexadecimal digits, its end in Unix milliseconds, and the name, with spaces
/// between them.
extension LoginSession {
    /// The text of the login.
    var text: String { "\(Hex.encode(proof)) \(end.millisecondsSince1970) \(name)" }

    /// Reads what ``text`` has written; `nil` for any other text.
    init?(text: String) {
        // Scalars, not characters: a name that begins with a combining mark makes one character with the space.
        let parts = text.unicodeScalars.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let proof = Hex.decode(String(parts[0])), let end = Int64(String(parts[1])) else {
            return nil
        }
        self.init(proof: proof, end: Timestamp(millisecondsSince1970: end), name: String(parts[2]))
    }
}
