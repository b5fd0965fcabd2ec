/// The risk that the check `risk` of a capture judged, and the threshold that it was compared with.
package struct JudgedRisk: Sendable, Equatable {
    /// What the worker knew of the device.
    package let risk: DeviceRisk
    /// The metric above which the check warns: `receipts.riskWarning` at that time.
    package let warning: Int

    /// Memberwise.
    package init(_ risk: DeviceRisk, warning: Int) {
        self.risk = risk
        self.warning = warning
    }
}
