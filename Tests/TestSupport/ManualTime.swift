package import CaptureModel
import Synchronization

/// A clock that stands still until it is told to move.
package final class ManualTime: Sendable {
    private let start: Timestamp
    private let passed = Mutex(Duration.zero)
    private let instant = ContinuousClock.now

    /// Starts it at a moment.
    package init(_ start: Timestamp = Timestamp(millisecondsSince1970: 1_800_000_000_000)) {
        self.start = start
    }

    /// The moment that it shows.
    package var now: Timestamp { start.advanced(by: passed.withLock { $0 }) }

    /// The same, as it is handed to those who ask for the time.
    package var source: TimeSource { { self.now } }

    /// The same, for those who measure time and do not tell it.
    package var monotonic: ContinuousClock.Instant { instant + passed.withLock { $0 } }

    /// Moves it.
    package func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}
