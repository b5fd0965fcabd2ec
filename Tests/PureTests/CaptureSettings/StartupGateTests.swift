import Testing

@testable import CaptureSettings

@Suite("The gate before a program's work", .timeLimit(.minutes(1)))
struct StartupGateTests {
    @Test func `all that wait are let through when it opens, and whoever comes later at once`() async throws {
        let gate = StartupGate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await gate.pass() } }
            #expect(!gate.isOpen)
            gate.open()
            try await group.waitForAll()
        }
        try await gate.pass()
        #expect(gate.isOpen)
    }

    @Test func `whoever is cancelled waits no longer, and is not let through`() async {
        let gate = StartupGate()
        let waiting = Task { try await gate.pass() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
