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
