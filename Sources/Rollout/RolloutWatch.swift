import AppAttest
import CaptureModel

/// Decides, read by read, what to do about a policy's file: no clock, no input or output.
///
/// Bytes are considered once two consecutive reads agree, so that a half-written file is no policy.
struct RolloutWatch {
    /// The decision after a read.
    enum Action: Equatable {
        /// Nothing has changed, or the change was read only once.
        case nothing
        /// The file holds another policy.
        case install(RolloutPolicy)
        /// The file is no valid policy: the one in force stays.
        case keep(RolloutFault)
        /// The file again holds the policy in force.
        case recover
    }

    /// A file by its SHA-256 in hexadecimal, or why it could not be read.
    private typealias Look = Result<String, RolloutFault>

    private let known: [AppID]
    private var inForce: Look
    private var last: Look
    /// The file that was reported as faulty, so that it is reported once.
    private var refused: Look?

    /// Begins with the policy that was read at the start.
    init(inForce: SHA256Digest, known: [AppID]) {
        self.known = known
        self.inForce = .success(inForce.hex)
        last = self.inForce
    }

    /// Considers the result of a read: the file's bytes, or why it cannot be read.
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
