import Logging
import ServiceLifecycle
import TestSupport
import Testing
import Waiting

@Suite("Work until a stop", .timeLimit(.minutes(1)))
struct UntilStoppedTests {
    private struct Fault: Error {}

    /// Works until it is stopped, and asks for the stop once it has begun.
    private struct Worker: Service {
        let hasBegun = Latch()
        let wasEnded = Latch()

        func run() async throws {
            let value: Void? = try await untilStopped {
                hasBegun.open()
                try await Latch().waitUntilOpen()
            }
            if value == nil, !Task.isCancelled { wasEnded.open() }
        }
    }

    @Test func `what it gives or throws is handed on`() async throws {
        #expect(try await untilStopped { 7 } == 7)
        await #expect(throws: Fault.self) { try await untilStopped { throw Fault() } }
    }

    @Test func `a graceful shutdown ends it without an error`() async throws {
        let worker = Worker()
        let group = ServiceGroup(services: [worker], logger: .quiet)
        async let running: Void = group.run()
        try await worker.hasBegun.waitUntilOpen()
        await group.triggerGracefulShutdown()
        try await worker.wasEnded.waitUntilOpen()
        try await running
    }

    @Test func `cancellation ends it without an error`() async throws {
        let working = Task { try await untilStopped { try await Latch().waitUntilOpen() } }
        working.cancel()
        #expect(try await working.value == nil)
    }
}
