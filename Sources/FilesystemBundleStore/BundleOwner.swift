import CaptureModel
import Synchronization

/// The installation that a bundle directory has to belong to, once known; copies of a store share it.
final class BundleOwner: Sendable {
    private let known = Mutex<InstallationID?>(nil)

    /// The installation; `nil` until it is set, and for tools that never set it.
    var installation: InstallationID? { known.withLock { $0 } }

    /// Sets the installation.
    func set(_ installation: InstallationID) { known.withLock { $0 = installation } }
}
