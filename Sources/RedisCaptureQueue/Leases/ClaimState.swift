import Synchronization

/// The state that claims share.
final class ClaimState: Sendable {
    private struct Guarded {
        var nextPartition = 0
        var isPaused = false
        /// When to look again, after a look that found nothing.
        var nextLook: ContinuousClock.Instant?
        /// The next partition to promote in any case.
        var nextPromotion = 0
        /// Partitions in which an answer with tokens may have been lost.
        ///
        /// At the start all of them, as the consumer's name may have been used before.
        var losses: Set<Int>
        /// The partitions in which the last look found lapsed lanes.
        var lapsed: [Int]?
        /// Claims whose answers may still bring tokens.
        var underWay = 0
        var isReclaiming = false
    }

    /// How a claim begins.
    enum Entry {
        /// It takes new tokens.
        case claim
        /// It looks for the tokens of lost answers first; no other claim begins before ``finishReclaiming()``.
        case reclaim
        /// It must wait: another claim is reclaiming, or lost tokens cannot be told from those of claims under way.
        case wait
    }

    private let guarded: Mutex<Guarded>
    private let partitions: Int

    init(partitions: Int) {
        self.partitions = partitions
        guarded = Mutex(Guarded(losses: Set(0..<partitions)))
    }

    /// Whether the last claim found the queue paused.
    var isPaused: Bool {
        get { guarded.withLock { $0.isPaused } }
        set { guarded.withLock { $0.isPaused = newValue } }
    }

    /// When to look again; `nil` at once.
    var nextLook: ContinuousClock.Instant? { guarded.withLock { $0.nextLook } }

    /// Notes that a look found nothing.
    func noteIdle(for interval: Duration) {
        guarded.withLock { $0.nextLook = ContinuousClock.now + interval }
    }

    /// The next partition in turn.
    func takePromotion() -> Int {
        guarded.withLock { guarded in
            defer { guarded.nextPromotion = (guarded.nextPromotion + 1) % partitions }
            return guarded.nextPromotion
        }
    }

    /// The partition to begin with.
    func nextPartition() -> Int {
        guarded.withLock { $0.nextPartition }
    }

    /// Notes that a partition had lanes, so that the others come first next time.
    func noteServed(_ partition: Int) {
        guarded.withLock { guarded in
            guarded.nextPartition = (partition + 1) % partitions
            guarded.nextLook = nil
        }
    }

    /// The partitions in which a look found lapsed lanes; `nil` when it found none.
    var lapsed: [Int]? {
        get { guarded.withLock { $0.lapsed } }
        set { guarded.withLock { $0.lapsed = newValue } }
    }

    /// Begins a claim, which must call ``leave()``, unless it has to wait.
    ///
    /// A pending token that this consumer does not hold is lost only if no answer is under way.
    func enter() -> Entry {
        guarded.withLock { guarded in
            guard !guarded.isReclaiming, guarded.losses.isEmpty || guarded.underWay == 0 else { return .wait }
            guarded.underWay += 1
            guarded.isReclaiming = !guarded.losses.isEmpty
            return guarded.isReclaiming ? .reclaim : .claim
        }
    }

    /// Lets other claims begin again.
    func finishReclaiming() {
        guarded.withLock { $0.isReclaiming = false }
    }

    /// A claim has its answers, or has lost them.
    func leave() {
        guarded.withLock { $0.underWay -= 1 }
    }

    /// Notes that an answer was lost.
    func noteLoss(in partition: Int) {
        guarded.withLock { _ = $0.losses.insert(partition) }
    }

    /// The partitions in which answers were lost.
    func losses() -> [Int] {
        guarded.withLock { $0.losses.sorted() }
    }

    /// Notes that the tokens of a lost answer were looked for.
    func clearLoss(in partition: Int) {
        guarded.withLock { _ = $0.losses.remove(partition) }
    }
}
