/// What Apple's receipts say about a device: a sign, never a verdict.
public struct DeviceRisk: Sendable, Equatable {
    /// About how many keys were attested on the device for this team in 30 days; many may be one device behind many.
    public let metric: Int
    /// When Apple said so.
    public let at: Timestamp

    /// How old a metric that warns of nothing may be when a capture is received: Apple counts the keys of 30 days.
    public static let ageMax = Duration.seconds(30 * 86_400)

    /// Memberwise.
    public init(metric: Int, at: Timestamp) {
        self.metric = metric
        self.at = at
    }
}
