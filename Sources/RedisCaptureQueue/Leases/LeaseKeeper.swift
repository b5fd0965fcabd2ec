import CaptureQueue
import Synchronization

/// The leases that this worker holds, from claim to settlement.
///
/// Read by the event loop that renews them and written by whoever claims and settles; no call waits for longer than a
/// dictionary takes.
final class LeaseKeeper: Sendable {
    private struct Holding {
        /// When it was taken, in the time of renewals.
        let takenAt: Duration
        /// When its claim, or the last renewal that went through, was sent.
        var renewedAt: ContinuousClock.Instant
    }

    private struct Guarded {
        var held: [LaneToken: Holding] = [:]
        /// Those among them whose settlement is under way or is tried again.
        var settling: Set<LaneToken> = []
        var renewed: RenewedTime
        var isClosed = false
    }

    private let guarded: Mutex<Guarded>
    private let ageMax: Duration
    /// The time that leases are told the age of by.
    let now: @Sendable () -> ContinuousClock.Instant

    init(ageMax: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.ageMax = ageMax
        self.now = now
        guarded = Mutex(Guarded(renewed: RenewedTime(from: now())))
    }

    /// Leases are held from now on; `false` when there are to be no more of them.
    /// - Parameter sentAt: When their claim was sent: the queue counts from when it came.
    func hold(_ leases: [LaneToken], sentAt: ContinuousClock.Instant? = nil) -> Bool {
        guarded.withLock { guarded in
            guard !guarded.isClosed else { return false }
            let moment = now()
            let holding = Holding(takenAt: guarded.renewed.reading(at: moment), renewedAt: sentAt ?? moment)
            for lease in leases { guarded.held[lease] = holding }
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
        guarded.withLock { $0 = Guarded(renewed: $0.renewed, isClosed: true) }
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

    /// A renewal of them that was sent then went through.
    func noteRenewal(of leases: [LaneToken], sentAt: ContinuousClock.Instant) {
        guarded.withLock { guarded in
            for lease in leases { guarded.held[lease]?.renewedAt = sentAt }
        }
    }

    /// Whether any of them is not held, or was not renewed for so long.
    func mayBeLost(_ leases: [LaneToken], after silence: Duration) -> Bool {
        guarded.withLock { guarded in
            let moment = now()
            return leases.contains { lease in
                guard let holding = guarded.held[lease] else { return true }
                return moment - holding.renewedAt >= silence
            }
        }
    }

    /// A renewal went through, or did not: until one does, leases grow no older.
    func noteRenewal(wentThrough: Bool) {
        guarded.withLock { $0.renewed.note(isRenewed: wentThrough, at: now()) }
    }

    /// For tests: whether the last renewal went through; so it is before the first.
    var areRenewed: Bool { guarded.withLock { $0.renewed.isPassing } }

    /// For tests: whether a lease is held and no renewal has found it lost.
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
    /// Leases that were renewed for too long are dropped: their worker has forgotten them.
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
