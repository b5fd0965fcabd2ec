extension GatewayConfiguration {
    /// The window of the limits per client: a minute, as their settings say.
    package static let rateWindow: Duration = .seconds(60)
    /// Captures of one status request that a device signs: its own are few, and what it asks for costs the queue and
    /// the record.
    var deviceStatusIDsMax: Int { min(100, statusIDsMax) }
}
