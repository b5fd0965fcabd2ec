import Episode
import Synchronization

/// Whether Redis refuses to give the bytes of captures, which counts as an outage of the bundle store.
///
/// A successful read from Redis ends only this outage: it says nothing about a bundle directory that is away.
final class FetchRefusal: Sendable {
    private let episode = Mutex(Episode())

    /// Notes a refusal.
    func begin() { episode.withLock { _ = $0.begin() } }

    /// Notes that Redis gives bytes; whether it had refused before.
    func end() -> Bool { episode.withLock { $0.end() } }
}
