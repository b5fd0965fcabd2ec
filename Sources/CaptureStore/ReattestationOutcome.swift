/// What became of a later attestation.
package enum ReattestationOutcome: Sendable, Equatable {
    /// It is kept.
    case kept([Drift])
    /// The device is not registered, with another key, or not by an attestation; or with another app, in the other
    /// environment, or under a root that is kept.
    case notAttested
    /// The device is revoked.
    case revoked
}
