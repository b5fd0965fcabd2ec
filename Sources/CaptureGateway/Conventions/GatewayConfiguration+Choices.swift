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

    // MARK: What nobody chooses

    /// The window of the limits per client: a minute, as their settings say ([R-CH-3]).
    public static let rateWindow: Duration = .seconds(60)
    /// Captures of one status request that a device signs: its own are few, and what it asks for costs the queue and
    /// the record.
    var deviceStatusIDsMax: Int { min(100, statusIDsMax) }
}
