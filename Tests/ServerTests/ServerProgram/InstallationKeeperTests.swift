import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A program that keeps its installation's id in Redis", .timeLimit(.minutes(2)))
struct InstallationKeeperTests {
    private let program = CheckedProgram()

    private static let unasked = "error Redis cannot be asked whose it is"
    private static let asked = "notice Redis can be asked again whose it is"
    private static let unkept = "error the function library cannot be kept"
    private static let replaced = "warning an older function library was there and has been replaced"
    private static let kept = "notice the function library is kept again"

    /// As an operator grants its user of Redis one right after the other.
    @Test func `a program tells the beginning and the end of each thing that Redis refuses it`() async throws {
        let recorder = program.recorder
        try await program.whileChecked { fixture, _ in
            try await fixture.redis("ACL", "SETUSER", "default", "-hget")
            try await eventually { recorder.lines == [Self.unasked] }
            let own = FunctionLibrary.current
            let older = own.source.replacing(
                "local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = 1")
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(older))
            try await fixture.redis("ACL", "SETUSER", "default", "+hget", "-function")
            try await eventually { recorder.lines == [Self.unasked, Self.asked, Self.unkept] }
            try await fixture.redis("ACL", "SETUSER", "default", "+function")
            try await eventually {
                recorder.lines == [Self.unasked, Self.asked, Self.unkept, Self.replaced, Self.kept]
            }
        }
        let faults = recorder.values(of: "fault")
        #expect(faults.count == 2 && faults.allSatisfy { $0.contains("NOPERM") }, "\(faults)")
    }
}
