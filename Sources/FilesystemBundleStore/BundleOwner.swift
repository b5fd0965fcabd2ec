import CaptureModel
import Synchronization

/// Whose a bundle directory has to be, as far as a program knows it by now; copies of a store share it.
final class BundleOwner: Sendable {
    private let known = Mutex<InstallationID?>(nil)

    /// The installation; `nil` until somebody has said it, and for tools that never do.
    var installation: InstallationID? { known.withLock { $0 } }

    /// Says it.
    func set(_ installation: InstallationID) { known.withLock { $0 = installation } }
}
