/// What Apple's DeviceCheck said of a device when it registered: two bits that belong to the team.
package struct DeviceCheckState: Sendable, Equatable {
    /// Whether there was an answer, and what it was.
    package enum Standing: String, Sendable, CaseIterable {
        /// There was no answer: neither good nor bad.
        case unknown
        /// The team never set a bit on the device.
        case neverSet = "never_set"
        /// The team has set the bits.
        case set
    }

    /// Whether there was an answer.
    package let standing: Standing
    /// The first bit, once the team has set the bits.
    package let bit0: Bool?
    /// The second bit, once the team has set the bits.
    package let bit1: Bool?
    /// The month in which the bits were set last: `2026-04`.
    package let lastUpdate: String?
    /// Why there was no answer: a stable code.
    package let reason: String?
    /// When Apple was asked.
    package let checkedAt: Timestamp

    /// There was no answer.
    package static func unknown(_ reason: String, at checkedAt: Timestamp) -> DeviceCheckState {
        DeviceCheckState(
            standing: .unknown, bit0: nil, bit1: nil, lastUpdate: nil, reason: reason, checkedAt: checkedAt)
    }

    /// Memberwise.
    package init(
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
