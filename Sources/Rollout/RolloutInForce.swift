package import CaptureModel
import Synchronization

/// The policy in force in a process: all that judge read it, and ``RolloutFile`` replaces it.
///
/// A reader that takes it once for a piece of work judges all of that by one policy.
package final class RolloutInForce: Sendable {
    /// The policy and the state of its file.
    package struct Standing: Sendable {
        /// The policy in force.
        package var policy: RolloutPolicy
        /// Since when it has been in force here; `nil` where no file is configured.
        package var since: Timestamp?
        /// Why the file's present contents are not in force; `nil` when they are.
        package var fault: RolloutFault?
    }

    private let state: Mutex<Standing>

    /// Starts with a policy; without one nothing is judged.
    package init(_ policy: RolloutPolicy = .none, since: Timestamp? = nil) {
        state = Mutex(Standing(policy: policy, since: since, fault: nil))
    }

    /// The policy in force.
    package var policy: RolloutPolicy { state.withLock(\.policy) }

    /// The policy in force and the state of its file.
    package var standing: Standing { state.withLock { $0 } }

    /// Replaces the policy, from the next piece of work on.
    func install(_ policy: RolloutPolicy, at moment: Timestamp) {
        state.withLock { $0 = Standing(policy: policy, since: moment, fault: nil) }
    }

    /// Notes the fault of the file, or that it has none, while the policy stays.
    func note(_ fault: RolloutFault?) {
        state.withLock { $0.fault = fault }
    }
}
