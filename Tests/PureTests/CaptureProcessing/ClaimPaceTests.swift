import Synchronization
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("The pace of claims", .timeLimit(.minutes(1)))
struct ClaimPaceTests {
    /// What happened, in its order.
    private final class Events: Sendable {
        private let events = Mutex<[String]>([])

        func note(_ event: String) { events.withLock { $0.append(event) } }
        var all: [String] { events.withLock { $0 } }
    }

    /// How many claim at the same time.
    private final class Presence: Sendable {
        private let state = Mutex((now: 0, most: 0))

        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { state.withLock { $0.now -= 1 } }
        var most: Int { state.withLock { $0.most } }
    }

    /// Long enough that nobody sees its end.
    private static let ever = Duration.seconds(3_600)

    @Test func `while a batch is under way nothing is claimed beside it`() async throws {
        let (pace, events) = (ClaimPace(linger: Self.ever), Events())
        let first = await pace.begin()
        let second = Task {
            let round = await pace.begin()
            events.note("second claims")
            return round
        }
        try await eventually { pace.waits.turns == 1 }
        events.note("first has claimed")
        pace.claimed(first, isFull: false)
        try await eventually { pace.waits.pauses == 1 }
        events.note("first ends")
        pace.end()
        pace.claimed(await second.value, isFull: false)
        pace.end()
        #expect(events.all == ["first has claimed", "first ends", "second claims"])
    }

    @Test func `a batch keeps the next claim waiting for so long only`() async {
        let pace = ClaimPace(linger: .milliseconds(1))
        // None ends: a claim that waited for that would wait until the suite's time is over.
        for _ in 0..<3 { pace.claimed(await pace.begin(), isFull: false) }
        #expect(!Task.isCancelled)
    }

    @Test func `where claims bring all they may, batches are worked side by side`() async throws {
        let pace = ClaimPace(linger: Self.ever)
        pace.claimed(await pace.begin(), isFull: true)
        let second = await pace.begin()
        let third = await pace.begin()
        pace.claimed(second, isFull: true)
        pace.claimed(third, isFull: false)
        let events = Events()
        let fourth = Task {
            let round = await pace.begin()
            events.note("fourth claims")
            return round
        }
        // Each end has it look again.
        for pauses in 1...2 {
            try await eventually { pace.waits.pauses == pauses }
            pace.end()
        }
        try await eventually { pace.waits.pauses == 3 }
        events.note("the last ends")
        pace.end()
        pace.claimed(await fourth.value, isFull: false)
        #expect(events.all == ["the last ends", "fourth claims"], "the queue holds little again")
        pace.end()
    }

    @Test func `everybody gets a turn, and one alone claims where the queue holds little`() async {
        let (pace, presence) = (ClaimPace(linger: .zero), Presence())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask { @concurrent in
                    for _ in 0..<100 {
                        let round = await pace.begin()
                        presence.enter()
                        await Task.yield()
                        presence.leave()
                        pace.claimed(round, isFull: false)
                        await Task.yield()
                        pace.end()
                    }
                }
            }
        }
        #expect(presence.most == 1)
    }
}
