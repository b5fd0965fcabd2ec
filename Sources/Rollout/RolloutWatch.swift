import AppAttest
import CaptureModel

/// Decides what becomes of a policy's file as it is found, look by look: no clock, no input or output.
///
/// Bytes are considered once two looks in a row have found the same: a file that is being written is not half a policy.
struct RolloutWatch {
    /// What is to be done.
    enum Action: Equatable {
        /// Nothing has changed, or not for long enough.
        case nothing
        /// The file holds another policy.
        case install(RolloutPolicy)
        /// The file is no policy: the one in force stays.
        case keep(RolloutFault)
        /// The file is what is in force again.
        case recover
    }

    /// A file by its SHA-256 in hexadecimal, or why there is none.
    private typealias Look = Result<String, RolloutFault>

    private let known: [AppID]
    private var inForce: Look
    private var last: Look
    /// What was complained about, so that it is said once.
    private var refused: Look?

    /// Begins with the policy that was read at the start.
    init(inForce: SHA256Digest, known: [AppID]) {
        self.known = known
        self.inForce = .success(inForce.hex)
        last = self.inForce
    }

    /// Considers what a look has found: the file's bytes, or why it cannot be read.
    mutating func look(_ found: Result<[UInt8], RolloutFault>) -> Action {
        let look = found.map { SHA256Digest.hash($0).hex }
        guard look == last else {
            last = look
            return .nothing
        }
        if look == inForce {
            defer { refused = nil }
            return refused == nil ? .nothing : .recover
        }
        guard look != refused else { return .nothing }
        do throws(RolloutFault) {
            let policy = try RolloutPolicy(yaml: try found.get(), known: known)
            (inForce, refused) = (look, nil)
            return .install(policy)
        } catch {
            refused = look
            return .keep(error)
        }
    }
}
