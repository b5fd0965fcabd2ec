import Synchronization

/// An ``Episode`` that any task may note.
package final class SharedEpisode: Sendable {
    private let episode: Mutex<Episode>

    /// Begins as a condition that does not hold.
    /// - Parameter calm: How long it must not have been noted before it has ended.
    package init(calm: Duration = .zero) {
        episode = Mutex(Episode(calm: calm))
    }

    /// Notes that the condition holds; returns whether that is news.
    @discardableResult
    package func begin(at now: ContinuousClock.Instant = .now) -> Bool { episode.withLock { $0.begin(at: now) } }

    /// Notes that the condition does not hold; returns whether that is news, once it was calm for long enough.
    @discardableResult
    package func end(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        episode.withLock { $0.end(at: now()) }
    }
}
