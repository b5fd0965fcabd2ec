/// What becomes of a device whose attestation is not verified.
package enum RegistrationPolicy: String, Sendable, CaseIterable {
    /// It is registered as `unverified`.
    case degrade
    /// It is refused.
    case reject
}
