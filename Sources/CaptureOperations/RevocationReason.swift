/// Why a device is revoked, in an operator's words: kept with the device and in the audit.
public struct RevocationReason: Sendable, Equatable {
    /// The longest that it may be, in UTF-8.
    public static let bytesMax = 500

    /// What it may be, in words.
    public static let rule = "1 to \(bytesMax) bytes without control characters"

    /// The words.
    public let text: String

    /// Takes words of 1 to ``bytesMax`` bytes: one line, and no NUL, which PostgreSQL does not take.
    public init?(_ text: String) {
        let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...Self.bytesMax).contains(text.utf8.count), !hasControls else { return nil }
        self.text = text
    }
}
