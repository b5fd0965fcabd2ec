import CaptureModel
import Synchronization

/// Captures that this program has dealt with once.
///
/// All of them are forgotten when there is no room for one more: then they may be dealt with once more.
final class RememberedCaptures: Sendable {
    private let capturesMax: Int
    private let captures = Mutex(Set<CaptureID>())

    /// Remembers none yet, and never more than this many.
    init(max: Int) {
        capturesMax = max
    }

    /// Whether a capture is remembered.
    func contains(_ capture: CaptureID) -> Bool { captures.withLock { $0.contains(capture) } }

    /// Remembers a capture; `false` if it is remembered already.
    @discardableResult
    func insert(_ capture: CaptureID) -> Bool {
        captures.withLock { captures in
            if captures.contains(capture) { return false }
            if captures.count >= capturesMax { captures.removeAll() }
            captures.insert(capture)
            return true
        }
    }
}
