/// What there is to say of a receipt's outcome: a status of Apple's, or why it is not exchanged or not taken.
///
/// Its text is stable, and may be one that another release has written.
public struct ReceiptReason: RawRepresentable, Hashable, Sendable {
    /// The code.
    public let rawValue: String

    /// Takes a code as it was written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Why nothing is taken from the device.
    public init(_ reason: Reason) {
        self.init(rawValue: reason.rawValue)
    }

    /// Its device is revoked.
    public static let deviceRevoked = ReceiptReason(Reason.deviceRevoked)
    /// No attestation vouches for its device's key.
    public static let deviceUnattested = ReceiptReason(rawValue: "DEVICE_UNATTESTED")
    /// It is of another team's app than the developer key's.
    public static let teamNotConfigured = ReceiptReason(rawValue: "TEAM_NOT_CONFIGURED")

    /// The status of an answer.
    public static func status(_ code: Int) -> ReceiptReason { ReceiptReason(rawValue: "\(code)") }
}

extension ReceiptReason: CustomStringConvertible {
    /// The code.
    public var description: String { rawValue }
}
