import Bisection
import CaptureQueue

/// The part of one lease that is worked in one batch.
struct LanePortion: Sendable {
    let lease: Lease
    /// The captures at the head of the lane that are worked now.
    let jobs: ArraySlice<ClaimedJob>

    /// Whether captures were claimed that this portion leaves for later.
    var leavesSome: Bool { jobs.count < lease.jobs.count }

    /// The portion with the first half of its captures; `nil` if it has only one.
    ///
    /// The captures behind them are given back with the lane, and come with the next claim.
    var firstHalf: LanePortion? {
        jobs.count > 1 ? LanePortion(lease: lease, jobs: jobs.halves[0]) : nil
    }
}
