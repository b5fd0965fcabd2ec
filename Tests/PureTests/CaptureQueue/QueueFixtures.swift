import CaptureModel
import Synchronization

/// A clock that stands still until it is told to move.
final class ManualTime: Sendable {
    private let now = Mutex(Timestamp(millisecondsSince1970: 1_800_000_000_000))

    var source: TimeSource { { self.now.withLock { $0 } } }

    func advance(by duration: Duration) {
        now.withLock { $0 = $0.advanced(by: duration) }
    }
}
