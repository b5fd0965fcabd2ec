import Synchronization

/// What a claim remembers from the ones before.
final class ClaimState: Sendable {
    private struct Guarded {
        var nextPartition = 0
        var isPaused = false
        /// Partitions in which an answer with tokens may have been lost.
        ///
        /// At the start: all, as the consumer's name may have been used before.
        var losses: Set<Int>
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

    /// The partition to begin with.
    func nextPartition() -> Int {
        guarded.withLock { $0.nextPartition }
    }

    /// Notes that a partition had something, so that the others come first next time.
    func noteServed(_ partition: Int) {
        guarded.withLock { $0.nextPartition = (partition + 1) % partitions }
    }

    /// Notes that an answer was lost.
    func noteLoss(in partition: Int) {
        guarded.withLock { _ = $0.losses.insert(partition) }
    }

    /// Where answers were lost.
    func losses() -> [Int] {
        guarded.withLock { $0.losses.sorted() }
    }

    /// Notes that the tokens of a lost answer were looked for.
    func settleLoss(in partition: Int) {
        guarded.withLock { _ = $0.losses.remove(partition) }
    }
}
