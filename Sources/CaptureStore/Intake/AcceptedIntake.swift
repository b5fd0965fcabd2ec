package import CaptureModel

/// The ledger's facts about an accepted capture.
package struct AcceptedIntake: Sendable, Equatable {
    /// Its device.
    package let device: DeviceID
    /// When the gateway had the bundle.
    package let receivedAt: Timestamp
    /// Whether it waits for its result.
    package let isOpen: Bool

    /// Memberwise.
    package init(device: DeviceID, receivedAt: Timestamp, isOpen: Bool) {
        self.device = device
        self.receivedAt = receivedAt
        self.isOpen = isOpen
    }
}
