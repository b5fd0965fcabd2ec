package import CaptureModel
import Synchronization

/// The policy that is in force in a process: read by whoever judges, exchanged by ``RolloutFile``.
///
/// A reader that takes it once for a piece of work judges all of it alike.
package final class RolloutInForce: Sendable {
    /// The policy and how it stands with its file.
    package struct Standing: Sendable {
        /// The policy in force.
        package var policy: RolloutPolicy
        /// Since when it has been in force here; `nil` where no file is configured.
        package var since: Timestamp?
        /// Why the file, as it is now, is not what is in force.
        package var fault: RolloutFault?
    }

    private let state: Mutex<Standing>

    /// Starts with a policy; without one nothing is judged.
    package init(_ policy: RolloutPolicy = .none, since: Timestamp? = nil) {
        state = Mutex(Standing(policy: policy, since: since, fault: nil))
    }

    /// The policy in force.
    package var policy: RolloutPolicy { state.withLock(\.policy) }

    /// The policy in force, and how it stands with its file.
    package var standing: Standing { state.withLock { $0 } }

    /// Puts a policy in the place of the one before, from the next piece of work on.
    func install(_ policy: RolloutPolicy, at moment: Timestamp) {
        state.withLock { $0 = Standing(policy: policy, since: moment, fault: nil) }
    }

    /// Notes how it stands with the file while the policy stays.
    func note(_ fault: RolloutFault?) {
        state.withLock { $0.fault = fault }
    }
}
