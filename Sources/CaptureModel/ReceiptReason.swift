/// The detail of a receipt's outcome: Apple's status, or why the receipt is not exchanged or not accepted.
///
/// Its text is stable; it may be a code of another release.
public struct ReceiptReason: RawRepresentable, Hashable, Sendable {
    /// The code.
    public let rawValue: String

    /// Takes a code from the record.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes the reason why nothing of the device is accepted.
    public init(_ reason: Reason) {
        self.init(rawValue: reason.rawValue)
    }

    /// The receipt's device is revoked.
    public static let deviceRevoked = ReceiptReason(Reason.deviceRevoked)
    /// The key of the receipt's device has no verified attestation.
    public static let deviceUnattested = ReceiptReason(rawValue: "DEVICE_UNATTESTED")
    /// The receipt's app belongs to another team than the developer key.
    public static let teamNotConfigured = ReceiptReason(rawValue: "TEAM_NOT_CONFIGURED")

    /// The status code of Apple's answer.
    public static func status(_ code: Int) -> ReceiptReason { ReceiptReason(rawValue: "\(code)") }
}

extension ReceiptReason: CustomStringConvertible {
    /// The code.
    public var description: String { rawValue }
}
