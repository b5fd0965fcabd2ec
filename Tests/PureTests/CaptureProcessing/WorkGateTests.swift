import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("The gate between batches and suspects", .timeLimit(.minutes(1)))
struct WorkGateTests {
    /// Who is at work, noted from inside.
    private final class Presence: Sendable {
        private let state = Mutex((shared: 0, exclusive: 0, isViolated: false, done: 0))

        func enter(exclusive: Bool) {
            state.withLock { state in
                if exclusive { state.exclusive += 1 } else { state.shared += 1 }
                state.isViolated = state.isViolated || state.exclusive > 1 || (state.exclusive == 1 && state.shared > 0)
            }
        }

        func leave(exclusive: Bool) {
            state.withLock { state in
                if exclusive { state.exclusive -= 1 } else { state.shared -= 1 }
                state.done += 1
            }
        }

        var isViolated: Bool { state.withLock { $0.isViolated } }
        var done: Int { state.withLock { $0.done } }
    }

    @Test func `a suspect is never worked beside anything else, and everybody gets a turn`() async {
        let gate = WorkGate()
        let presence = Presence()
        @Sendable func stay(exclusive: Bool) async {
            presence.enter(exclusive: exclusive)
            for _ in 0..<3 { await Task.yield() }
            presence.leave(exclusive: exclusive)
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask { @concurrent in
                    if index.isMultiple(of: 5) {
                        _ = await gate.withExclusive(within: .seconds(60)) { await stay(exclusive: true) }
                    } else {
                        await gate.withRound { await stay(exclusive: false) }
                    }
                }
            }
        }
        #expect(!presence.isViolated)
        #expect(presence.done == 200)
        #expect(await !gate.isClosed)
    }

    /// What is in the hands of those who work suspects, and what becomes of it.
    private final class Hands: Sendable {
        private let state = Mutex((inHand: 0, alone: 0, givenUp: 0, isViolated: false))

        func take() { state.withLock { $0.inHand += 1 } }

        func work() {
            state.withLock { state in
                state.isViolated = state.isViolated || state.inHand != 1
                state.inHand -= 1
                state.alone += 1
            }
        }

        func giveUp() {
            state.withLock { state in
                state.inHand -= 1
                state.givenUp += 1
            }
        }

        var isViolated: Bool { state.withLock { $0.isViolated } }
        var alone: Int { state.withLock { $0.alone } }
        var givenUp: Int { state.withLock { $0.givenUp } }
    }

    @Test func `whoever waits with a suspect in hand waits as the only one, and is next`() async {
        let gate = WorkGate()
        let hands = Hands()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask { @concurrent in
                    if index.isMultiple(of: 7) {
                        _ = await gate.withExclusive(within: .seconds(60)) {
                            hands.take()
                            for _ in 0..<3 { await Task.yield() }
                            hands.work()
                        }
                        return
                    }
                    await gate.withShared {
                        for _ in 0..<3 { await Task.yield() }
                        hands.take()
                        return 1
                    } thenAlone: { _ in
                        for _ in 0..<3 { await Task.yield() }
                        hands.work()
                    } otherwise: { _ in
                        for _ in 0..<3 { await Task.yield() }
                        hands.giveUp()
                    }
                }
            }
        }
        #expect(!hands.isViolated)
        #expect(hands.alone + hands.givenUp == 200 && hands.alone > 0)
        #expect(await !gate.isClosed)
    }

    @Test func `the gate is closed from the moment that a suspect waits until it is done`() async throws {
        let gate = WorkGate()
        let (entered, enterer) = AsyncStream<Void>.makeStream()
        let (release, releaser) = AsyncStream<Void>.makeStream()
        let (finish, finisher) = AsyncStream<Void>.makeStream()
        async let batch: Void = gate.withRound {
            enterer.yield()
            for await _ in release { return }
        }
        for await _ in entered { break }
        async let suspect = gate.withExclusive(within: .seconds(60)) { for await _ in finish { return } }
        try await eventually { await gate.isClosed }
        releaser.yield()
        await batch
        #expect(await gate.isClosed)
        let opened = Presence()
        async let waiter: Void = {
            await gate.withRound { opened.leave(exclusive: false) }
        }()
        #expect(opened.done == 0)
        finisher.yield()
        #expect(await suspect)
        await waiter
        #expect(await !gate.isClosed)
    }

    @Test func `a round that does not end keeps others out for no longer than the limit`() async throws {
        let gate = WorkGate()
        let (entered, enterer) = AsyncStream<Void>.makeStream()
        let (finish, finisher) = AsyncStream<Void>.makeStream()
        async let stuck: Void = gate.withRound {
            enterer.yield()
            for await _ in finish { return }
        }
        for await _ in entered { break }
        async let alone = gate.withExclusive(within: .seconds(60)) {}
        try await eventually { await gate.isAwaited }
        async let late = gate.withExclusive(within: .milliseconds(1)) { Issue.record("beside a round") }
        #expect(await !late)
        #expect(await gate.isAwaited, "the first waits still")
        finisher.yield()
        await stuck
        #expect(await alone)
        #expect(await !gate.isAwaited)
        #expect(await !gate.isClosed)
        // With nobody else in the way: whoever comes meanwhile is let in when the limit is over.
        let (again, ender) = AsyncStream<Void>.makeStream()
        let round = Task { await gate.withRound { for await _ in again { return } } }
        try await eventually { await gate.rounds == 1 }
        async let third = gate.withExclusive(within: .milliseconds(50)) { Issue.record("beside a round") }
        await gate.withRound {}
        #expect(await !third)
        #expect(await !gate.isClosed)
        ender.finish()
        await round.value
    }
}

extension WorkGate {
    /// Runs a round that leaves no suspect.
    fileprivate func withRound(_ round: @concurrent @Sendable @escaping () async -> Void) async {
        await withShared { () -> Int? in
            await round()
            return nil
        } thenAlone: { _ in
        } otherwise: { _ in
        }
    }
}
