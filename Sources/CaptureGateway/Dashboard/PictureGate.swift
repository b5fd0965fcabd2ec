import Deadline
import Synchronization

/// Lets few pictures be made at once, and keeps the others waiting for a while.
///
/// Each takes a whole bundle into memory, which no other budget counts.
final class PictureGate: Sendable {
    private struct Waiter {
        let number: Int
        /// Ends when it is this one's turn.
        let turn: AsyncStream<Void>.Continuation
    }

    private struct State {
        var free: Int
        var lastNumber = 0
        /// In the order of coming; who is in here has no place.
        var waiting: [Waiter] = []
    }

    private enum Entry { case entered, waiting(number: Int), full }

    private let waitersMax: Int
    private let waitMax: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - placesMax: How many are made at once.
    ///   - waitersMax: How many wait at the most.
    ///   - waitMax: How long one waits.
    init(placesMax: Int, waitersMax: Int = 64, waitMax: Duration = .seconds(2)) {
        self.waitersMax = waitersMax
        self.waitMax = waitMax
        state = Mutex(State(free: placesMax))
    }

    /// For tests: how many wait now.
    var waiters: Int { state.withLock { $0.waiting.count } }

    /// Takes a place, which ``leave()`` gives back.
    /// - Throws: `UNAVAILABLE` when none becomes free in time, or too many wait already.
    func enter() async throws(APIError) {
        let (turns, turn) = AsyncStream<Void>.makeStream()
        switch apply(turn) {
        case .entered: return
        case .full: throw Self.busy
        case .waiting(let number):
            _ = try? await Deadline.result(until: .now + waitMax) { for await _ in turns {} }
            if isGivenUp(number) { throw Self.busy }
        }
    }

    /// Gives a place back: to whoever waits for it longest.
    func leave() {
        let next = state.withLock { state -> Waiter? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.turn.finish()
    }

    private func apply(_ turn: AsyncStream<Void>.Continuation) -> Entry {
        state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return .entered
            }
            guard state.waiting.count < waitersMax else { return .full }
            state.lastNumber += 1
            state.waiting.append(Waiter(number: state.lastNumber, turn: turn))
            return .waiting(number: state.lastNumber)
        }
    }

    /// Whether one still has no place; then it waits no longer.
    private func isGivenUp(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
    }

    private static let busy = APIError(
        .unavailable, "too many pictures are being made: try again in a moment", retryAfter: .seconds(2),
        cause: .busy("the places for pictures are taken"))
}

/// A place of a gate, given back when nobody holds it any more.
final class PicturePlace: Sendable {
    private let gate: PictureGate

    /// Waits for one.
    /// - Throws: As ``PictureGate/enter()``.
    init(at gate: PictureGate) async throws(APIError) {
        try await gate.enter()
        self.gate = gate
    }

    deinit { gate.leave() }
}
