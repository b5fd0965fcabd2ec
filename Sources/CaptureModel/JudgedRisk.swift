/// The risk that the check `risk` of a capture judged, and the threshold that it was compared with.
public struct JudgedRisk: Sendable, Equatable {
    /// What the worker knew of the device.
    public let risk: DeviceRisk
    /// The metric above which the check warns: `receipts.riskWarning` at that time.
    public let warning: Int

    /// Memberwise.
    public init(_ risk: DeviceRisk, warning: Int) {
        self.risk = risk
        self.warning = warning
    }
}
