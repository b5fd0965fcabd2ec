public import CaptureModel

/// What became of a device's captures.
public struct DeviceTally: Sendable, Equatable {
    /// No count goes beyond it: it then means that many or more.
    public static let countMax = 10_000

    /// Verified ones.
    public var verified: Int
    /// Rejected ones.
    public var rejected: Int
    /// Why they were rejected.
    public var reasons: [Reason: Int]
    /// Those that wait for their result.
    public var open: Int

    /// Memberwise.
    public init(verified: Int, rejected: Int, reasons: [Reason: Int], open: Int) {
        self.verified = verified
        self.rejected = rejected
        self.reasons = reasons
        self.open = open
    }
}
