extension GatewayConfiguration {
    /// What becomes of a device whose attestation is not verified ([R-RG-3]).
    public enum RegistrationPolicy: String, Sendable, CaseIterable {
        /// It is registered as `unverified`.
        case degrade
        /// It is refused.
        case reject
    }

    /// How much of an upload's assertion is looked at before it is queued.
    public enum Precheck: String, Sendable, CaseIterable {
        /// Sizes and parts only.
        case none
        /// The assertion's structure, the app and the photo's signature as well.
        case structure
        /// The signature as well.
        case signature
    }
}
