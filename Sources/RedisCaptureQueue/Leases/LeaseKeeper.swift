import CaptureQueue
import Synchronization

/// The leases that this worker holds, from claim to settlement.
///
/// The renewing event loop reads it, tasks that claim and settle write it; a call holds the lock only for dictionary
/// operations.
final class LeaseKeeper: Sendable {
    private struct Holding {
        /// When it was taken, by ``RenewedTime``.
        let takenAt: Duration
        /// When its claim, or its last successful renewal, was sent.
        var renewedAt: ContinuousClock.Instant
    }

    private struct Guarded {
        var held: [LaneToken: Holding] = [:]
        /// The held leases whose settlement is under way or is retried.
        var settling: Set<LaneToken> = []
        var renewed: RenewedTime
        var isClosed = false
    }

    private let guarded: Mutex<Guarded>
    private let ageMax: Duration
    /// The clock for the age of leases.
    let now: @Sendable () -> ContinuousClock.Instant

    init(ageMax: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.ageMax = ageMax
        self.now = now
        guarded = Mutex(Guarded(renewed: RenewedTime(from: now())))
    }

    /// Holds leases from now on; `false` when it is closed.
    /// - Parameter sentAt: When their claim was sent, which is not later than the queue's start of the lease.
    func hold(_ leases: [LaneToken], sentAt: ContinuousClock.Instant? = nil) -> Bool {
        guarded.withLock { guarded in
            guard !guarded.isClosed else { return false }
            let moment = now()
            let holding = Holding(takenAt: guarded.renewed.reading(at: moment), renewedAt: sentAt ?? moment)
            for lease in leases { guarded.held[lease] = holding }
            return true
        }
    }

    /// Marks leases that are about to be given back.
    ///
    /// They are held until ``release(_:)``, however long that takes; only their settlement shows whether they were
    /// lost.
    func beginSettling(_ leases: [LaneToken]) {
        guarded.withLock { guarded in
            for lease in leases where guarded.held[lease] != nil { guarded.settling.insert(lease) }
        }
    }

    /// Forgets leases that are given back, or given up.
    func release(_ leases: [LaneToken]) {
        guarded.withLock { guarded in
            for lease in leases {
                guarded.held[lease] = nil
                guarded.settling.remove(lease)
            }
        }
    }

    /// Gives up every lease and takes no more: the process is about to end.
    func close() {
        guarded.withLock { $0 = Guarded(renewed: $0.renewed, isClosed: true) }
    }

    /// Whether it takes no more leases.
    var isClosed: Bool { guarded.withLock { $0.isClosed } }

    /// Forgets leases that a renewal found lost; returns how many of them were held and not being given back.
    @discardableResult
    func markLost(_ leases: [LaneToken]) -> Int {
        guarded.withLock { guarded in
            leases.count { !guarded.settling.contains($0) && guarded.held.removeValue(forKey: $0) != nil }
        }
    }

    /// Notes that a renewal of leases, sent at that time, succeeded.
    func noteRenewal(of leases: [LaneToken], sentAt: ContinuousClock.Instant) {
        guarded.withLock { guarded in
            for lease in leases { guarded.held[lease]?.renewedAt = sentAt }
        }
    }

    /// Whether any of the leases is not held, or was not renewed for `silence`.
    func mayBeLost(_ leases: [LaneToken], after silence: Duration) -> Bool {
        guarded.withLock { guarded in
            let moment = now()
            return leases.contains { lease in
                guard let holding = guarded.held[lease] else { return true }
                return moment - holding.renewedAt >= silence
            }
        }
    }

    /// Notes whether a renewal succeeded: until one does, leases do not age.
    func noteRenewal(wentThrough: Bool) {
        guarded.withLock { $0.renewed.note(isRenewed: wentThrough, at: now()) }
    }

    /// For tests: whether the last renewal succeeded; `true` before the first.
    var areRenewed: Bool { guarded.withLock { $0.renewed.isPassing } }

    /// For tests: whether a lease is held and no renewal has found it lost.
    func holds(_ lease: LaneToken) -> Bool {
        guarded.withLock { $0.held[lease] != nil }
    }

    /// Whether a token of the stream is held, with any number of deliveries.
    func holdsToken(_ token: String, partition: Int) -> Bool {
        let prefix = token + "#"
        return guarded.withLock { guarded in
            guarded.held.keys.contains { $0.partition == partition && $0.text.hasPrefix(prefix) }
        }
    }

    /// The leases to renew, by partition.
    ///
    /// Leases that were renewed for too long are dropped as leaked.
    func due() -> (held: [Int: [LaneToken]], forgotten: [LaneToken]) {
        guarded.withLock { guarded in
            let time = guarded.renewed.reading(at: now())
            let old = guarded.held.filter { time - $0.value.takenAt > ageMax }
            let forgotten = old.keys.filter { !guarded.settling.contains($0) }
            for lease in forgotten { guarded.held[lease] = nil }
            return (Dictionary(grouping: guarded.held.keys, by: \.partition), forgotten)
        }
    }
}
