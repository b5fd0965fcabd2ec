package import CaptureModel

/// A device in a list.
package struct ListedDevice: Sendable, Equatable {
    /// The device.
    package let device: Device
    /// Since when its key may have been in other hands.
    package let compromisedSince: Timestamp?

    /// Memberwise.
    package init(device: Device, compromisedSince: Timestamp?) {
        self.device = device
        self.compromisedSince = compromisedSince
    }
}
