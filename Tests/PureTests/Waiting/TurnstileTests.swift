import DeviceSimulator
import Synchronization
import TestSupport
import Testing

@testable import Waiting

@Suite("A turnstile", .timeLimit(.minutes(1)))
struct TurnstileTests {
    /// Longer than the suite may take: nobody waits it out.
    private static let long = Duration.seconds(3_600)

    /// Who is inside, noted from there.
    private final class Presence: Sendable {
        private let state = Mutex((places: Set<Turnstile.Place>(), isShared: false, order: [Int]()))

        /// Whether two have ever had the same place at once.
        var isShared: Bool { state.withLock { $0.isShared } }
        /// Everybody, in the order in which they came in.
        var order: [Int] { state.withLock { $0.order } }

        func note(_ number: Int, at place: Turnstile.Place) {
            state.withLock { state in
                if !state.places.insert(place).inserted { state.isShared = true }
                state.order.append(number)
            }
        }

        func noteEnd(at place: Turnstile.Place) {
            state.withLock { _ = $0.places.remove(place) }
        }
    }

    @Test func `whoever has waited longest gets the place that is given back`() async throws {
        let turnstile = Turnstile(placesMax: 1, waitersMax: 3)
        let place = try await turnstile.enter(within: Self.long)
        let presence = Presence()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    let place = try await turnstile.enter(within: Self.long)
                    presence.note(number, at: place)
                    presence.noteEnd(at: place)
                    turnstile.leave(place)
                }
                try await eventually { turnstile.status.waiting == number + 1 }
            }
            await #expect(throws: Turnstile.Refusal.full) { try await turnstile.enter(within: Self.long) }
            turnstile.leave(place)
            try await group.waitForAll()
        }
        #expect(presence.order == [0, 1, 2])
        #expect(turnstile.status == .init(taken: 0, idle: 1, waiting: 0))
    }

    @Test func `whoever is late or cancelled is turned away, and leaves the line`() async throws {
        let turnstile = Turnstile(placesMax: 1, waitersMax: 1)
        let place = try await turnstile.enter(within: .zero)
        await #expect(throws: Turnstile.Refusal.late) { try await turnstile.enter(within: .milliseconds(1)) }
        await #expect(throws: Turnstile.Refusal.late) { try await turnstile.enter(within: .zero) }
        let waiting = Task { try await turnstile.enter(within: Self.long) }
        try await eventually { turnstile.status.waiting == 1 }
        waiting.cancel()
        await #expect(throws: Turnstile.Refusal.cancelled) { try await waiting.value }
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: Turnstile.Refusal.cancelled) { try await turnstile.enter(within: Self.long) }
            }
        }
        #expect(turnstile.status == .init(taken: 1, idle: 0, waiting: 0))
        turnstile.leave(place)
        #expect(try await turnstile.enter(within: .zero) == place)
    }

    @Test func `whoever waits for a preferred place is late, or cancelled, beside others that are free`() async throws {
        let turnstile = Turnstile(placesMax: 2, waitersMax: 1)
        await #expect(throws: Turnstile.Refusal.late) {
            try await turnstile.enter(within: .zero, isPreferredOnly: true)
        }
        let waiting = Task { try await turnstile.enter(within: Self.long, isPreferredOnly: true) }
        try await eventually { turnstile.status.waiting == 1 }
        await #expect(throws: Turnstile.Refusal.full) {
            try await turnstile.enter(within: Self.long, isPreferredOnly: true)
        }
        waiting.cancel()
        await #expect(throws: Turnstile.Refusal.cancelled) { try await waiting.value }
        #expect(turnstile.status == .init(taken: 0, idle: 0, waiting: 0))
    }

    @Test func `a closed turnstile lets nobody in, and says so to those who leave`() async throws {
        let turnstile = Turnstile(placesMax: 2, waitersMax: 1)
        let (first, second) = (try await turnstile.enter(within: .zero), try await turnstile.enter(within: .zero))
        let waiting = Task { try await turnstile.enter(within: Self.long) }
        try await eventually { turnstile.status.waiting == 1 }
        #expect(turnstile.close() == [])
        await #expect(throws: Turnstile.Refusal.closed) { try await waiting.value }
        await #expect(throws: Turnstile.Refusal.closed) { try await turnstile.enter(within: Self.long) }
        #expect(turnstile.leave(first) && turnstile.leave(second))
        #expect(turnstile.status == .init(taken: 0, idle: 0, waiting: 0))
    }

    /// The timer of a wait holds the turnstile: one that was left behind would hold it for an hour.
    @Test func `a wait that is over leaves no timer behind`() async throws {
        weak var left: Turnstile?
        do {
            let turnstile = Turnstile(placesMax: 1, waitersMax: 2)
            left = turnstile
            let place = try await turnstile.enter(within: Self.long)
            let served = Task { try await turnstile.enter(within: Self.long) }
            try await eventually { turnstile.status.waiting == 1 }
            let cancelled = Task { try await turnstile.enter(within: Self.long) }
            try await eventually { turnstile.status.waiting == 2 }
            cancelled.cancel()
            turnstile.leave(place)
            _ = try await served.value
            _ = await cancelled.result
        }
        try await eventually { left == nil }
    }

    /// Every tenth call is patient: it waits for as long as it takes, and gets a place.
    @Test func `however calls come, leave, end and are late, the places suffice and none is lost`() async throws {
        let (placesMax, presence) = (4, Presence())
        let turnstile = Turnstile(placesMax: placesMax, waitersMax: 400)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask { @concurrent in
                    var generator = SeededGenerator(seed: UInt64(number))
                    let isPatient = number.isMultiple(of: 10)
                    let short = Duration.microseconds(Int.random(in: 0...2_000, using: &generator))
                    let time = isPatient ? Self.long : short
                    let turns = Int.random(in: 0..<4, using: &generator)
                    let call = Task {
                        let place = try await turnstile.enter(within: time)
                        presence.note(number, at: place)
                        for _ in 0..<turns { await Task.yield() }
                        presence.noteEnd(at: place)
                        turnstile.leave(place)
                    }
                    if number.isMultiple(of: 3) && !isPatient {
                        for _ in 0..<turns { await Task.yield() }
                        call.cancel()
                    }
                    let result = await call.result
                    if isPatient { #expect(throws: Never.self) { try result.get() } }
                }
            }
        }
        #expect(!presence.isShared)
        #expect(turnstile.status.taken == 0 && turnstile.status.waiting == 0)
        var places: Set<Turnstile.Place> = []
        for _ in 0..<placesMax { places.insert(try await turnstile.enter(within: .zero)) }
        #expect(Set(places.map(\.number)) == Set(0..<placesMax))
    }
}
