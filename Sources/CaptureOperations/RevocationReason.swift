/// Why a device is revoked, in an operator's words: kept with the device and in the audit.
public struct RevocationReason: Sendable, Equatable {
    /// The longest that it may be, in UTF-8.
    public static let bytesMax = 500

    /// How long it may be, in words.
    public static let rule = "1 to \(bytesMax) bytes"

    /// The words.
    public let text: String

    /// Takes words of 1 to ``bytesMax`` bytes.
    public init?(_ text: String) {
        guard (1...Self.bytesMax).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
