import Synchronization
import TestSupport
import Testing
import Waiting

@Suite("Values that are made once", .timeLimit(.minutes(1)))
struct OnceTests {
    @Test func `who is cancelled waits no longer for a value that is made once, and the others get it`() async throws {
        let mayEnd = Latch()
        let makings = Mutex(0)
        let once = Once {
            try await mayEnd.waitUntilOpen()
            return makings.withLock { count in
                count += 1
                return count
            }
        }
        let cancelled = Task { try await once.value() }
        let patient = Task { try await once.value() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        mayEnd.open()
        #expect(try await patient.value == 1)
        #expect(try await once.value() == 1)
    }

    @Test func `a value that is made once and cannot be is the same fault for everybody`() async throws {
        struct Fault: Error, Equatable { let number: Int }
        let makings = Mutex(0)
        let once = Once<Int> {
            let number = makings.withLock { count in
                count += 1
                return count
            }
            throw Fault(number: number)
        }
        for _ in 1...2 { await #expect(throws: Fault(number: 1)) { try await once.value() } }
    }
}
