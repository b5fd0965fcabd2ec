/// What Apple's DeviceCheck said of a device when it registered: two bits that belong to the team.
public struct DeviceCheckState: Sendable, Equatable {
    /// Whether there was an answer, and what it was.
    public enum Standing: String, Sendable, CaseIterable {
        /// There was no answer: neither good nor bad.
        case unknown
        /// The team never set a bit on the device.
        case neverSet = "never_set"
        /// The team has set the bits.
        case set
    }

    /// Whether there was an answer.
    public let standing: Standing
    /// The first bit, once the team has set the bits.
    public let bit0: Bool?
    /// The second bit, once the team has set the bits.
    public let bit1: Bool?
    /// The month in which the bits were set last: `2026-04`.
    public let lastUpdate: String?
    /// Why there was no answer: a stable code.
    public let reason: String?
    /// When Apple was asked.
    public let checkedAt: Timestamp

    /// There was no answer.
    public static func unknown(_ reason: String, at checkedAt: Timestamp) -> DeviceCheckState {
        DeviceCheckState(
            standing: .unknown, bit0: nil, bit1: nil, lastUpdate: nil, reason: reason, checkedAt: checkedAt)
    }

    /// Memberwise.
    public init(
        standing: Standing, bit0: Bool?, bit1: Bool?, lastUpdate: String?, reason: String?, checkedAt: Timestamp
    ) {
        self.standing = standing
        self.bit0 = bit0
        self.bit1 = bit1
        self.lastUpdate = lastUpdate
        self.reason = reason
        self.checkedAt = checkedAt
    }
}
