public import CaptureModel

/// What became of a registration.
public struct RegistrationAnswer: Sendable, Equatable {
    /// The id under which the device sends captures.
    public var device: DeviceID
    /// Whether the attestation was believed.
    public var level: AttestationLevel
    /// Why it was not.
    public var reason: String?
    /// What DeviceCheck said, where it was asked.
    public var deviceCheck: DeviceCheckState.Standing?
}
