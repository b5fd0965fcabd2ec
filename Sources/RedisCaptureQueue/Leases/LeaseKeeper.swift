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

    /// Holds the leases of these tokens from now on; `false` when it is closed.
    /// - Parameter sentAt: When their claim was sent, which is not later than the queue's start of the lease.
    func hold(_ tokens: [LaneToken], sentAt: ContinuousClock.Instant? = nil) -> Bool {
        guarded.withLock { guarded in
            guard !guarded.isClosed else { return false }
            let moment = now()
            let holding = Holding(takenAt: guarded.renewed.reading(at: moment), renewedAt: sentAt ?? moment)
            for token in tokens { guarded.held[token] = holding }
            return true
        }
    }

    /// Marks leases that are about to be given back.
    ///
    /// They are held until ``release(_:)``, however long that takes; only their settlement shows whether they were
    /// lost.
    func beginSettling(_ tokens: [LaneToken]) {
        guarded.withLock { guarded in
            for token in tokens where guarded.held[token] != nil { guarded.settling.insert(token) }
        }
    }

    /// Forgets leases that are given back, or given up.
    func release(_ tokens: [LaneToken]) {
        guarded.withLock { guarded in
            for token in tokens {
                guarded.held[token] = nil
                guarded.settling.remove(token)
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
    func markLost(_ tokens: [LaneToken]) -> Int {
        guarded.withLock { guarded in
            tokens.count { !guarded.settling.contains($0) && guarded.held.removeValue(forKey: $0) != nil }
        }
    }

    /// Notes that a renewal of leases, sent at that time, succeeded.
    func noteRenewal(of tokens: [LaneToken], sentAt: ContinuousClock.Instant) {
        guarded.withLock { guarded in
            for token in tokens { guarded.held[token]?.renewedAt = sentAt }
        }
    }

    /// Whether any of the leases is not held, or was not renewed for `silence`.
    func mayBeLost(_ tokens: [LaneToken], after silence: Duration) -> Bool {
        guarded.withLock { guarded in
            let moment = now()
            return tokens.contains { token in
                guard let holding = guarded.held[token] else { return true }
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

    /// For tests: whether the token's lease is held and no renewal has found it lost.
    func holds(_ token: LaneToken) -> Bool {
        guarded.withLock { $0.held[token] != nil }
    }

    /// Whether a token of the stream is held, with any number of deliveries.
    func holdsToken(_ token: String, partition: Int) -> Bool {
        let prefix = token + "#"
        return guarded.withLock { guarded in
            guarded.held.keys.contains { $0.partition == partition && $0.text.hasPrefix(prefix) }
        }
    }

    /// Drops leases that were renewed for too long, as leaked; returns them, and by partition those that are still held.
    func dropLeaked() -> (held: [Int: [LaneToken]], leaked: [LaneToken]) {
        guarded.withLock { guarded in
            let time = guarded.renewed.reading(at: now())
            let old = guarded.held.filter { time - $0.value.takenAt > ageMax }
            let leaked = old.keys.filter { !guarded.settling.contains($0) }
            for token in leaked { guarded.held[token] = nil }
            return (Dictionary(grouping: guarded.held.keys, by: \.partition), leaked)
        }
    }
}
