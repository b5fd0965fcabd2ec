/// What Apple's receipts say about a device: a sign, never a verdict.
public struct DeviceRisk: Sendable, Equatable {
    /// About how many keys were attested on the device for this team in 30 days.
    ///
    /// A high count may mean one device that poses as many.
    public let metric: Int
    /// When Apple said so.
    public let at: Timestamp

    /// The oldest metric that still counts as good when a capture is received: Apple counts keys over 30 days.
    public static let ageMax = Duration.seconds(30 * 86_400)

    /// Memberwise.
    public init(metric: Int, at: Timestamp) {
        self.metric = metric
        self.at = at
    }
}
