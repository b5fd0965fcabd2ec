import Synchronization

/// What the connections of a client tell each other: that their server is no primary any more.
///
/// A server that becomes a replica keeps its clients and refuses only what they write. Whoever reads or listens would
/// stay with it for ever and take what it has for all there is, so all of them leave once one was refused.
///
/// Clients do not know each other. One that never writes relies on whoever makes its server a replica to cut its
/// connections, as Sentinel does (`CLIENT KILL TYPE normal` and `TYPE pubsub`).
final class Demotions: Sendable {
    private struct Listener {
        weak var link: RedisLink?
    }

    private let number = Atomic<Int>(0)
    private let listeners = Mutex<[Listener]>([])

    /// How many there were so far.
    var count: Int { number.load(ordering: .acquiring) }

    /// Has a link hear of each for as long as it is there.
    func join(_ link: RedisLink) {
        listeners.withLock { listeners in
            listeners.removeAll { $0.link == nil }
            listeners.append(Listener(link: link))
        }
    }

    /// Notes that a connection was refused, and wakes the others.
    ///
    /// - Parameter countBefore: How many there were when it was made. Of several connections to one server only the
    ///   first that is refused counts: the next would drive away those that have left already.
    func note(after countBefore: Int) {
        let (isNew, _) = number.compareExchange(
            expected: countBefore, desired: countBefore + 1, ordering: .acquiringAndReleasing)
        guard isNew else { return }
        for link in listeners.withLock({ $0.compactMap(\.link) }) { link.followDemotion() }
    }
}
