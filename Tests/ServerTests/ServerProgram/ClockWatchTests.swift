import CaptureModel
import Synchronization
import TestSupport
import Testing

/// By the clock of a gateway captures have come, and by that of a worker they were verified.
@Suite("The clock of a program", .timeLimit(.minutes(2)))
struct ClockWatchTests {
    private let program = CheckedProgram()

    private static func differ(_ server: String) -> String {
        "warning this machine's clock and that of \(server) differ"
    }

    private static func agree(_ server: String) -> String {
        "notice this machine's clock and that of \(server) agree again"
    }

    /// How far a server's clock is ahead of the program's, by its gauge.
    private func ahead(_ server: String) throws -> Double {
        let text = try program.exposition().value("capture_clock_offset_seconds", ["dependency": server])
        return try #require(text.flatMap { Double($0) }, "there is no gauge of \(server)")
    }

    @Test func `a program tells once that its clock is behind those of the servers, and once that they agree again`()
        async throws
    {
        let recorder = program.recorder
        let lead = Mutex(Duration.zero)
        let servers = ["postgres", "redis"]
        try await program.whileChecked(
            now: { Timestamp.systemTime().advanced(by: lead.withLock { $0 }) },
            { _, _ in
                for server in servers { #expect(try abs(ahead(server)) < 2) }
                #expect(recorder.lines == [])
                lead.withLock { $0 = .seconds(-600) }
                try await eventually { recorder.lines.sorted() == servers.map(Self.differ) }
                // Seen by a later look, which has nothing new to tell.
                lead.withLock { $0 = .seconds(-1200) }
                for server in servers { try await eventually { try ahead(server) > 1100 } }
                lead.withLock { $0 = .zero }
                try await eventually { recorder.lines.count == 4 }
                for server in servers { try await eventually { try ahead(server) < 2 } }
            })
        #expect(recorder.lines.prefix(2).sorted() == servers.map(Self.differ))
        #expect(recorder.lines.dropFirst(2).sorted() == servers.map(Self.agree))
        let told = recorder.values(of: "ahead_ms").compactMap { Int($0) }
        #expect(told.count == 2 && told.allSatisfy { $0 > 500_000 }, "\(told)")
    }

    @Test func `a program that starts with its clock ahead tells so before it takes part`() async throws {
        let recorder = program.recorder
        try await program.whileChecked(
            now: { Timestamp.systemTime().advanced(by: .seconds(3600)) },
            { _, _ async throws in
                #expect(recorder.lines == ["redis", "postgres"].map(Self.differ))
                #expect(try ahead("redis") < -3500)
                #expect(try ahead("postgres") < -3500)
            })
    }
}
