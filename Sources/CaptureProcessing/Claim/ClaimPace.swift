import Synchronization
import Waiting

/// Lets an idle worker claim captures at once, and a busy one wait for batches that are worth a transaction.
///
/// A batch of one capture costs nearly as much as one of ten. So while batches are under way, new captures gather in
/// the queue, until those batches are done or have taken a certain time. When a claim brings as many lanes as it may,
/// more than one batch waits in the queue, and batches are worked side by side.
final class ClaimPace: Sendable {
    /// A pipeline's way from before its claim to the end of its work.
    struct Round: Sendable {
        fileprivate let hasTurn: Bool
    }

    private struct State {
        /// Whether somebody has the turn.
        var isTaken = false
        /// The pipelines that wait for the turn, first come first served.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// How often the holder of the turn found that it was not time yet.
        var pauses = 0
        /// Rounds that have claimed and are not over.
        var working = 0
        /// When the last claim had its answer.
        var claimedAt = ContinuousClock.now
        /// Whether the last claim brought as many lanes as it might.
        var isBehind = false
        /// Opens at the end of the next round.
        var roundEnds = Latch()
    }

    private let linger: Duration
    private let state = Mutex(State())

    /// Begins without rounds.
    /// - Parameter linger: How long batches under way keep the next claim waiting at the most.
    init(linger: Duration) {
        self.linger = linger
    }

    /// Returns when it is time for a claim, which is to be followed by ``claimed(_:isFull:)`` and ``end()``.
    func begin() async -> Round {
        await takeTurn()
        // A cancelled task would not wait, but ask again and again.
        while !Task.isCancelled, let (rest, roundEnds) = pause() { await roundEnds.wait(for: rest) }
        guard state.withLock({ $0.isBehind }) else { return Round(hasTurn: true) }
        passTurn()
        return Round(hasTurn: false)
    }

    /// The round's claim has its answer.
    /// - Parameter isFull: Whether it brought as many lanes as it might.
    func claimed(_ round: Round, isFull: Bool) {
        state.withLock { state in
            state.working += 1
            state.claimedAt = .now
            state.isBehind = isFull
        }
        if round.hasTurn { passTurn() }
    }

    /// The round is over.
    func end() {
        state.withLock { state in
            state.working -= 1
            defer { state.roundEnds = Latch() }
            return state.roundEnds
        }.open()
    }

    /// How many pipelines wait for the turn, and how often its holder found that it was not time yet: for tests.
    var waits: (turns: Int, pauses: Int) {
        state.withLock { (turns: $0.waiting.count, pauses: $0.pauses) }
    }

    /// How long to wait still, and the latch that ends the wait early; `nil` when it is time.
    private func pause() -> (rest: Duration, roundEnds: Latch)? {
        state.withLock { state in
            let rest = state.claimedAt + linger - .now
            guard !state.isBehind, state.working > 0, rest > .zero else { return nil }
            state.pauses += 1
            return (rest, state.roundEnds)
        }
    }

    private func takeTurn() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    private func passTurn() {
        state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken ? state.waiting.removeFirst() : nil
        }?.resume()
    }
}
