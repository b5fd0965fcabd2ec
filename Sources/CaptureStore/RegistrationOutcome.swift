/// The outcome of a registration.
package enum RegistrationOutcome: Sendable, Equatable {
    /// The device is registered.
    case created
    /// The key is registered to another device, or the id with another key.
    case conflict
}

/// The outcome of a later attestation.
package enum ReattestationOutcome: Sendable, Equatable {
    /// It is kept, with the facts that have changed.
    case kept([Drift])
    /// The device is not registered, or registered with another key or without an attestation; or the attestation is of
    /// another app or environment, or the device may not leave its root.
    case notAttested
    /// The device is revoked.
    case revoked
}
