package import CaptureModel

/// What a device's registration says that its captures can contradict.
///
/// Who enrols may leave it unsaid: then it is not known, and nothing contradicts it.
package struct RegisteredDevice: Sendable, Equatable {
    /// The hardware model; `nil` when it is not known.
    package let model: String?
    /// Whether there is a LiDAR sensor; `nil` when it is not known.
    package let hasLidar: Bool?

    /// Takes what is known.
    package init(model: String?, hasLidar: Bool?) {
        self.model = model
        self.hasLidar = hasLidar
    }

    /// Takes what a device's record knows.
    ///
    /// Of a device without a model it has no word about the sensor either: the record's `false` is nobody's.
    package init(_ device: Device) {
        let isKnown = device.model != Device.modelUnknown
        self.init(model: isKnown ? device.model : nil, hasLidar: isKnown ? device.hasLidar : nil)
    }
}
