import Synchronization

/// Lets only so many in at once; the others wait in line, first come first served, for a limited time.
///
/// ```swift
/// let turnstile = Turnstile(placesMax: 4, waitersMax: 64)
/// let place = try await turnstile.enter(within: .seconds(2))
/// defer { turnstile.leave(place) }
/// ```
/// A call that finds a place free takes one lock and nothing else. Only a call that waits has a timer, which ends with
/// the wait.
package final class Turnstile: Sendable {
    /// The right to be inside, from ``enter(within:isPreferredOnly:)`` to ``leave(_:isPreferred:)``.
    package struct Place: Hashable, Sendable {
        /// Less than the number of places; no two callers have the same at once.
        ///
        /// So what belongs to a place, such as a connection, can be kept by it.
        package let number: Int
    }

    /// Why a call is not let in.
    package enum Refusal: Error {
        /// All places are taken, and too many calls wait already.
        case full
        /// No place became free in time.
        case late
        /// The task was cancelled while it waited.
        case cancelled
        /// Nobody is let in any more.
        case closed
    }

    /// How many places are in use, and how many calls wait for one.
    package struct Status: Equatable, Sendable {
        /// Places that are taken.
        package let taken: Int
        /// Places that are free and were taken before; those that never were are not among them.
        package let idle: Int
        /// Calls in line.
        package let waiting: Int
    }

    private typealias State = TurnstileState<CheckedContinuation<Result<Place, Refusal>, Never>>

    private let state: Mutex<State>

    /// - Parameters:
    ///   - placesMax: How many may be inside at once.
    ///   - waitersMax: How many calls may wait at the most.
    package init(placesMax: Int, waitersMax: Int) {
        state = Mutex(State(placesMax: placesMax, waitersMax: waitersMax))
    }

    /// How many places are in use, and how many calls wait.
    package var status: Status { state.withLock { $0.status } }

    /// Takes a place, which ``leave(_:isPreferred:)`` gives back.
    ///
    /// A call that waits gets a place or is turned away, whichever comes first, and never both. So a call that was let in
    /// may be cancelled by then, or late; it gives its place back like any other.
    /// - Parameters:
    ///   - time: How long to wait for a place.
    ///   - isPreferredOnly: Whether only a place is taken that was given back as preferred.
    package func enter(within time: Duration, isPreferredOnly: Bool = false) async throws(Refusal) -> Place {
        switch state.withLock({ $0.enter(isPreferredOnly: isPreferredOnly) }) {
        case .answered(let answer): try answer.get()
        case .waits(let number): try await wait(as: number, for: time).get()
        }
    }

    /// Gives a place back: to the call that has waited longest of those that take it, if one waits.
    /// - Parameter isPreferred: Whether the place is taken next, or only when no other idle one is left.
    /// - Returns: Whether the turnstile is closed, so that nobody takes the place any more.
    @discardableResult
    package func leave(_ place: Place, isPreferred: Bool = true) -> Bool {
        let (waiter, isClosed) = state.withLock { ($0.leave(place, isPreferred: isPreferred), $0.isClosed) }
        waiter?.resume(returning: .success(place))
        return isClosed
    }

    /// Turns away all calls that wait, and all that come from now on.
    /// - Returns: The idle places, which nobody takes any more.
    package func close() -> [Place] {
        let (idle, waiters) = state.withLock { $0.close() }
        for waiter in waiters { waiter.resume(returning: .failure(.closed)) }
        return idle
    }

    private func wait(as number: UInt64, for time: Duration) async -> Result<Place, Refusal> {
        let timer = EventLoopTimer(after: time) { self.turnAway(number, .late) }
        defer { timer.stop() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer = state.withLock { $0.suspend(waiter, as: number) }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            turnAway(number, .cancelled)
        }
    }

    private func turnAway(_ number: UInt64, _ refusal: Refusal) {
        state.withLock { $0.turnAway(number, refusal) }?.resume(returning: .failure(refusal))
    }
}
