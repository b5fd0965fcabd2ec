import CaptureQueue
import Synchronization

/// The leases that this worker holds, from claim to settlement.
///
/// Read by the event loop that renews them and written by whoever claims and settles; no call waits for longer than a
/// dictionary takes.
final class LeaseKeeper: Sendable {
    private struct Guarded {
        /// Since when each is held.
        var held: [LaneToken: ContinuousClock.Instant] = [:]
        /// Those among them whose settlement is under way or is tried again.
        var settling: Set<LaneToken> = []
        var isClosed = false
    }

    private let guarded = Mutex(Guarded())
    private let ageMax: Duration

    init(ageMax: Duration) {
        self.ageMax = ageMax
    }

    /// Leases are held from now on; `false` when there are to be no more of them.
    func hold(_ leases: [LaneToken]) -> Bool {
        let now = ContinuousClock.now
        return guarded.withLock { guarded in
            guard !guarded.isClosed else { return false }
            for lease in leases { guarded.held[lease] = now }
            return true
        }
    }

    /// Leases are about to be given back.
    ///
    /// Until they are ``release(_:)``d they are held, however long that takes, and their settlement alone tells what
    /// has become of them.
    func beginSettling(_ leases: [LaneToken]) {
        guarded.withLock { guarded in
            for lease in leases where guarded.held[lease] != nil { guarded.settling.insert(lease) }
        }
    }

    /// Leases are given back, or given up.
    func release(_ leases: [LaneToken]) {
        guarded.withLock { guarded in
            for lease in leases {
                guarded.held[lease] = nil
                guarded.settling.remove(lease)
            }
        }
    }

    /// Every lease is given up, and there will be no other: the process is about to end.
    func close() {
        guarded.withLock { $0 = Guarded(isClosed: true) }
    }

    /// Whether there will be no other lease.
    var isClosed: Bool { guarded.withLock { $0.isClosed } }

    /// A renewal found them in other hands; tells how many of them were held and not being given back.
    @discardableResult
    func markLost(_ leases: [LaneToken]) -> Int {
        guarded.withLock { guarded in
            leases.count { !guarded.settling.contains($0) && guarded.held.removeValue(forKey: $0) != nil }
        }
    }

    /// Whether a lease is held and no renewal has found it lost.
    func holds(_ lease: LaneToken) -> Bool {
        guarded.withLock { $0.held[lease] != nil }
    }

    /// Whether a token of the stream is held, under whatever number of deliveries.
    func holdsToken(_ token: String, partition: Int) -> Bool {
        let prefix = token + "#"
        return guarded.withLock { guarded in
            guarded.held.keys.contains { $0.partition == partition && $0.text.hasPrefix(prefix) }
        }
    }

    /// What is to be renewed, by partition.
    ///
    /// Leases held for too long are dropped: their worker has forgotten them.
    func due() -> (held: [Int: [LaneToken]], forgotten: [LaneToken]) {
        let now = ContinuousClock.now
        return guarded.withLock { guarded in
            let forgotten = guarded.held.filter { now - $0.value > ageMax && !guarded.settling.contains($0.key) }
                .map(\.key)
            for lease in forgotten { guarded.held[lease] = nil }
            return (Dictionary(grouping: guarded.held.keys, by: \.partition), forgotten)
        }
    }
}
