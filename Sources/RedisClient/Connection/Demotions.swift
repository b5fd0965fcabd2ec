import Synchronization

/// Tells all connections of a client that their server has become a replica.
///
/// A server that becomes a replica keeps its clients and refuses only their writes. A connection that only reads or
/// listens would stay with it for ever and miss new data, so all connections leave once one was refused.
///
/// Clients do not know each other. A client that never writes relies on the failover to cut its connections, as
/// Sentinel does (`CLIENT KILL TYPE normal` and `TYPE pubsub`).
final class Demotions: Sendable {
    private struct Listener {
        weak var link: RedisLink?
    }

    private let number = Atomic<Int>(0)
    private let listeners = Mutex<[Listener]>([])

    /// The number of demotions so far.
    var count: Int { number.load(ordering: .acquiring) }

    /// Tells a link of each demotion as long as the link exists.
    func join(_ link: RedisLink) {
        listeners.withLock { listeners in
            listeners.removeAll { $0.link == nil }
            listeners.append(Listener(link: link))
        }
    }

    /// Notes that a connection was refused, and wakes the others.
    ///
    /// - Parameter countBefore: The number of demotions when it was made. Of several connections to one server only the
    ///   first refusal counts: a second one would drive connections away from the new primary.
    func note(after countBefore: Int) {
        let (isNew, _) = number.compareExchange(
            expected: countBefore, desired: countBefore + 1, ordering: .acquiringAndReleasing)
        guard isNew else { return }
        for link in listeners.withLock({ $0.compactMap(\.link) }) { link.followDemotion() }
    }
}
