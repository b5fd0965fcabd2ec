import CaptureModel
import CaptureQueue
import Synchronization

/// When the stream of one capture looks where it stands: at once, at each change of it, and now and then.
///
/// The feed may miss a change, and after a capture's last change no other one comes to make up for it.
final class StatusLooks: Sendable {
    private struct Last {
        var place: Int
        /// When it looked; `nil` before the first time.
        var time: ContinuousClock.Instant?
    }

    private let capture: CaptureID
    private let feed: ChangeFeed
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let last: Mutex<Last>

    /// - Parameters:
    ///   - capture: Whose stream it is.
    ///   - feed: Where changes are heard, from now on.
    ///   - interval: How long it does not look at the most, whatever else changes.
    ///   - now: The clock of ``interval``.
    init(
        at capture: CaptureID, feed: ChangeFeed, interval: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.capture = capture
        self.feed = feed
        self.interval = interval
        self.now = now
        last = Mutex(Last(place: feed.next))
    }

    /// Whether it is time to look, which is noted.
    func isDue() -> Bool {
        let time = now()
        return last.withLock { last in
            let isNews = hasNews(after: &last.place)
            guard isNews || last.time.map({ time - $0 >= interval }) ?? true else { return false }
            last.time = time
            return true
        }
    }

    /// True, too, when nothing has changed at all: then the stream was woken without news.
    private func hasNews(after place: inout Int) -> Bool {
        switch feed.changes(after: place, limit: .max) {
        case .gap(let next):
            place = next
            return true
        case .changes(let changes, let next):
            place = next
            return changes.isEmpty || changes.contains { $0.capture == capture }
        }
    }
}
