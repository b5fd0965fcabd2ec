package import CaptureModel

/// The facts of a device's registration that its captures can contradict.
///
/// An enrolling device may leave them out: unknown facts cannot be contradicted.
package struct RegisteredDevice: Sendable, Equatable {
    /// The hardware model; `nil` when it is not known.
    package let model: String?
    /// Whether there is a LiDAR sensor; `nil` when it is not known.
    package let hasLidar: Bool?

    /// Takes the known facts.
    package init(model: String?, hasLidar: Bool?) {
        self.model = model
        self.hasLidar = hasLidar
    }

    /// Takes the facts from a device's record.
    ///
    /// If the record has no model, its value for the sensor was not declared either, so both are unknown.
    package init(_ device: Device) {
        let isKnown = device.model != Device.modelUnknown
        self.init(model: isKnown ? device.model : nil, hasLidar: isKnown ? device.hasLidar : nil)
    }
}
