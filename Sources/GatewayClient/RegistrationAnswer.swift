package import CaptureModel

/// What became of a registration.
package struct RegistrationAnswer: Sendable, Equatable {
    /// The id under which the device sends captures.
    package var device: DeviceID
    /// Whether the attestation was believed.
    package var level: AttestationLevel
    /// Why the attestation was not believed.
    package var reason: String?
    /// What DeviceCheck said, where it was asked.
    package var deviceCheck: DeviceCheckState.Standing?
}
