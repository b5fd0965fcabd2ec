package import CaptureModel

/// How many captures of a device have each outcome.
package struct DeviceTally: Sendable, Equatable {
    /// The highest count; it means this many or more.
    package static let countMax = 10_000

    /// The tally of no captures.
    package static let empty = DeviceTally(verified: 0, rejected: 0, reasons: [:], open: 0)

    /// How many were verified.
    package var verified: Int
    /// How many were rejected.
    package var rejected: Int
    /// How many were rejected for each reason.
    package var reasons: [Reason: Int]
    /// How many wait for their result.
    package var open: Int

    /// Memberwise.
    package init(verified: Int, rejected: Int, reasons: [Reason: Int], open: Int) {
        self.verified = verified
        self.rejected = rejected
        self.reasons = reasons
        self.open = open
    }
}
