import Testing
import Waiting

@Suite("A deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private struct Fault: Error {}

    @Test func `what an operation gives or throws in time is handed on`() async throws {
        let end = ContinuousClock.now + .seconds(3_600)
        let value = try await Deadline.result(until: end) { 7 }
        #expect(value == 7)
        await #expect(throws: Fault.self) {
            try await Deadline.result(until: end) { () async throws -> Int in throw Fault() }
        }
    }

    @Test func `an operation that takes longer is cancelled, and has ended`() async throws {
        let (never, ended) = (Latch(), Latch())
        let value = try await Deadline.result(until: .now) { () async throws -> Int in
            defer { ended.open() }
            try await never.waitUntilOpen()
            return 7
        }
        #expect(value == nil && ended.isOpen)
    }
}
