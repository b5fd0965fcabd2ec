/// The detail of a receipt's outcome: Apple's status, or why the receipt is not exchanged or not accepted.
///
/// Its text is stable; it may be a code of another release.
package struct ReceiptReason: RawRepresentable, Hashable, Sendable {
    /// The code.
    package let rawValue: String

    /// Takes a code from the record.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes the reason why nothing of the device is accepted.
    package init(_ reason: Reason) {
        self.init(rawValue: reason.rawValue)
    }

    /// The receipt's device is revoked.
    package static let deviceRevoked = ReceiptReason(Reason.deviceRevoked)
    /// The key of the receipt's device has no verified attestation.
    package static let deviceUnattested = ReceiptReason(rawValue: "DEVICE_UNATTESTED")
    /// The receipt's app belongs to another team than the developer key.
    package static let teamNotConfigured = ReceiptReason(rawValue: "TEAM_NOT_CONFIGURED")

    /// The status code of Apple's answer.
    package static func status(_ code: Int) -> ReceiptReason { ReceiptReason(rawValue: "\(code)") }
}

extension ReceiptReason: CustomStringConvertible {
    /// The code.
    package var description: String { rawValue }
}
