/// Why a device is revoked, in an operator's words: kept with the device and in the audit.
package struct RevocationReason: Sendable, Equatable {
    /// The maximum length in UTF-8.
    package static let bytesMax = 500

    /// The rule for it, in words.
    package static let rule = OperatorWords.rule(bytesMax: bytesMax)

    /// The words.
    package let text: String

    /// Takes one line of 1 to ``bytesMax`` bytes.
    package init?(_ text: String) {
        guard OperatorWords.areOneLine(text, bytesMax: Self.bytesMax) else { return nil }
        self.text = text
    }
}
