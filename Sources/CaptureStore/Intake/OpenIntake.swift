package import CaptureModel

/// The outline of an open row.
package struct OpenIntake: Sendable, Equatable {
    /// Its place in the order of acceptance.
    package let place: Int64
    /// The capture.
    package let capture: CaptureID
    /// Its device.
    package let device: DeviceID
    /// Whether it was seen among the dead letters.
    package let isDead: Bool

    /// Memberwise.
    package init(place: Int64, capture: CaptureID, device: DeviceID, isDead: Bool) {
        self.place = place
        self.capture = capture
        self.device = device
        self.isDead = isDead
    }
}
