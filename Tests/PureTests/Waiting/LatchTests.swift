import Testing
import Waiting

@Suite("A latch", .timeLimit(.minutes(1)))
struct LatchTests {
    @Test func `all that wait are let through when it opens, and whoever comes later at once`() async throws {
        let latch = Latch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await latch.waitUntilOpen() } }
            #expect(!latch.isOpen)
            latch.open()
            try await group.waitForAll()
        }
        try await latch.waitUntilOpen()
        #expect(latch.isOpen)
    }

    @Test func `whoever is cancelled waits no longer, and is not let through`() async {
        let latch = Latch()
        let waiting = Task { try await latch.waitUntilOpen() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `whoever waits for a time goes on when it is over, or when it opens`() async {
        let latch = Latch()
        await latch.wait(for: .milliseconds(1))
        #expect(!latch.isOpen)
        async let waiting: Void = latch.wait(for: .seconds(3_600))
        latch.open()
        await waiting
    }
}
