import Testing

@testable import Waiting

@Suite("A turnstile's decisions")
struct TurnstileStateTests {
    private typealias State = TurnstileState<String>

    /// A call was let in or turned away that was to wait, or the other way round.
    private struct Surprise: Error {}

    /// Takes a place that is free.
    private func take(_ state: inout State) throws -> Turnstile.Place {
        guard case .answered(let answer) = state.enter() else { throw Surprise() }
        return try answer.get()
    }

    /// Lines up.
    private func wait(_ state: inout State, isPreferredOnly: Bool = false) throws -> UInt64 {
        guard case .waits(let number) = state.enter(isPreferredOnly: isPreferredOnly) else { throw Surprise() }
        return number
    }

    @Test func `waiters are served in the order in which they came, whenever their tasks are suspended`() throws {
        var state = State(placesMax: 1, waitersMax: 3)
        let place = try take(&state)
        let numbers = try (0..<3).map { _ in try wait(&state) }
        #expect(throws: Turnstile.Refusal.full) { try take(&state) }
        #expect(state.suspend("c", as: numbers[2]) == nil)
        #expect(state.suspend("b", as: numbers[1]) == nil)
        #expect(state.turnAway(numbers[1], .late) == "b")
        #expect(state.turnAway(numbers[1], .cancelled) == nil)
        // The first is not suspended yet, and has the place all the same.
        #expect(state.leave(place, isPreferred: true) == nil)
        #expect(state.status == .init(taken: 1, idle: 0, waiting: 1))
        #expect(state.turnAway(numbers[0], .late) == nil)
        #expect(state.suspend("a", as: numbers[0]) == .success(place))
        #expect(state.leave(place, isPreferred: true) == "c")
        #expect(state.leave(place, isPreferred: true) == nil)
        #expect(state.status == .init(taken: 0, idle: 1, waiting: 0))
    }

    @Test func `a waiter whose time is over before its task is suspended hears of it then`() throws {
        var state = State(placesMax: 1, waitersMax: 2)
        let place = try take(&state)
        let (late, next) = (try wait(&state), try wait(&state))
        #expect(state.turnAway(late, .late) == nil)
        #expect(state.turnAway(late, .cancelled) == nil)
        #expect(state.suspend("next", as: next) == nil)
        #expect(state.status.waiting == 1)
        #expect(state.leave(place, isPreferred: true) == "next")
        #expect(state.suspend("late", as: late) == .failure(.late))
    }

    @Test func `a place that is not preferred is taken when no other idle one is left, and before one that never was`()
        throws
    {
        var state = State(placesMax: 4, waitersMax: 1)
        let places = try (0..<3).map { _ in try take(&state) }
        #expect(places.map(\.number) == [0, 1, 2])
        for place in places { #expect(state.leave(place, isPreferred: place.number < 2) == nil) }
        #expect(state.status == .init(taken: 0, idle: 3, waiting: 0))
        #expect(try (0..<4).map { _ in try take(&state).number } == [1, 0, 2, 3])
    }

    @Test func `who takes preferred places only waits for one, and lets others have the rest`() throws {
        var state = State(placesMax: 3, waitersMax: 2)
        let (good, poor) = (try take(&state), try take(&state))
        #expect(state.leave(poor, isPreferred: false) == nil)
        // Two places are free, and none of them is preferred.
        let choosy = try wait(&state, isPreferredOnly: true)
        #expect(state.suspend("choosy", as: choosy) == nil)
        #expect(try take(&state) == poor)
        let third = try take(&state)
        let any = try wait(&state)
        #expect(state.suspend("any", as: any) == nil)
        #expect(state.leave(poor, isPreferred: false) == "any")
        #expect(state.leave(third, isPreferred: false) == nil)
        #expect(state.status == .init(taken: 2, idle: 1, waiting: 1))
        #expect(state.leave(good, isPreferred: true) == "choosy")
        #expect(state.leave(good, isPreferred: true) == nil)
        guard case .answered(let answer) = state.enter(isPreferredOnly: true) else { throw Surprise() }
        #expect(answer == .success(good))
    }

    @Test func `closing turns waiters away`() throws {
        var state = State(placesMax: 1, waitersMax: 2)
        let place = try take(&state)
        let (suspended, coming) = (try wait(&state), try wait(&state))
        #expect(state.suspend("a", as: suspended) == nil)
        #expect(state.close().waiters == ["a"])
        #expect(state.suspend("b", as: coming) == .failure(.closed))
        #expect(state.leave(place, isPreferred: true) == nil)
        #expect(state.status == .init(taken: 0, idle: 0, waiting: 0))
    }

    @Test func `closing ends idle places, and lets taken ones end when they are given back`() throws {
        var state = State(placesMax: 3, waitersMax: 1)
        let (first, second) = (try take(&state), try take(&state))
        #expect(state.leave(second, isPreferred: true) == nil)
        #expect(state.close().idle == [second])
        #expect(state.leave(first, isPreferred: true) == nil)
        #expect(state.status == .init(taken: 0, idle: 0, waiting: 0))
        #expect(throws: Turnstile.Refusal.closed) { try take(&state) }
    }
}
