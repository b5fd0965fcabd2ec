/// What Apple's receipts say about a device: a sign, never a verdict.
package struct DeviceRisk: Sendable, Equatable {
    /// About how many keys were attested on the device for this team in 30 days.
    ///
    /// A high count may mean one device that poses as many.
    package let metric: Int
    /// When Apple said so.
    package let at: Timestamp

    /// The oldest metric that still counts as good when a capture is received: Apple counts keys over 30 days.
    package static let ageMax = Duration.seconds(30 * 86_400)

    /// Memberwise.
    package init(metric: Int, at: Timestamp) {
        self.metric = metric
        self.at = at
    }
}
