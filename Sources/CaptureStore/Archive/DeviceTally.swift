package import CaptureModel

/// What became of a device's captures.
package struct DeviceTally: Sendable, Equatable {
    /// No count goes beyond it: it then means that many or more.
    package static let countMax = 10_000

    /// Verified ones.
    package var verified: Int
    /// Rejected ones.
    package var rejected: Int
    /// Why they were rejected.
    package var reasons: [Reason: Int]
    /// Those that wait for their result.
    package var open: Int

    /// Memberwise.
    package init(verified: Int, rejected: Int, reasons: [Reason: Int], open: Int) {
        self.verified = verified
        self.rejected = rejected
        self.reasons = reasons
        self.open = open
    }
}
