package import CaptureModel

/// What became of a registration.
package struct RegistrationAnswer: Sendable, Equatable {
    /// The id under which the device sends captures.
    package let device: DeviceID
    /// Whether the attestation was believed.
    package let level: AttestationLevel
    /// Why the attestation was not believed.
    package let reason: String?
    /// What DeviceCheck said, where it was asked.
    package let deviceCheck: DeviceCheckState.Standing?
}
