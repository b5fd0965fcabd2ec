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
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                let isSuspect = index.isMultiple(of: 5)
                group.addTask { @concurrent in
                    let body: @Sendable () async -> Void = {
                        presence.enter(exclusive: isSuspect)
                        for _ in 0..<3 { await Task.yield() }
                        presence.leave(exclusive: isSuspect)
                    }
                    if isSuspect { await gate.withExclusive(body) } else { await gate.withShared(body) }
                }
            }
        }
        #expect(!presence.isViolated)
        #expect(presence.done == 200)
        #expect(await !gate.isClosed)
    }

    @Test func `the gate is closed from the moment that a suspect waits until it is done`() async throws {
        let gate = WorkGate()
        let (entered, enterer) = AsyncStream<Void>.makeStream()
        let (release, releaser) = AsyncStream<Void>.makeStream()
        let (finish, finisher) = AsyncStream<Void>.makeStream()
        async let batch: Void = gate.withShared {
            enterer.yield()
            for await _ in release { return }
        }
        for await _ in entered { break }
        async let suspect: Void = gate.withExclusive { for await _ in finish { return } }
        try await eventually { await gate.isClosed }
        releaser.yield()
        await batch
        #expect(await gate.isClosed)
        let opened = Presence()
        async let waiter: Void = {
            await gate.untilOpen()
            opened.leave(exclusive: false)
        }()
        #expect(opened.done == 0)
        finisher.yield()
        await suspect
        await waiter
        #expect(await !gate.isClosed)
    }
}
