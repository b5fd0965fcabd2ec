import CaptureModel
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// What PostgreSQL's settings are held to, on real servers.
@Suite(.timeLimit(.minutes(2)))
struct RecordDurabilityTests {
    private func problems(_ server: PrivatePostgres, options: String = "") async throws -> [SettingProblem] {
        let conninfo = server.conninfo(database: "postgres") + options
        var problems: [SettingProblem] = []
        try await withClient(conninfo) { client async throws in
            problems = try await RecordDurability.read(from: client).problems
        }
        return problems
    }

    @Test func `a server that keeps what it answers for has no problems`() async throws {
        let server = try await PrivatePostgres.shared()
        #expect(try await problems(server).isEmpty)
    }

    @Test func `each setting with which results could be lost is named`() async throws {
        let server = try await PrivatePostgres.start(["fsync=off", "full_page_writes=off", "synchronous_commit=off"])
        let problems = try await problems(server)
        #expect(
            Set(problems.map(\.setting))
                == Set(
                    ["fsync", "full_page_writes", "synchronous_commit"].map {
                        "PostgreSQL's \($0)"
                    }))
        #expect(problems.allSatisfy { $0.value == "off" && $0.gravity == .loss })
        try await server.stop()
    }

    @Test(arguments: [("", 1, true), ("", 0, false), ("*", 1, false), (nil, 1, false)] as [(String?, Int, Bool)])
    func `a failover to a standby that nobody waits for is told of, and refuses no start`(
        waitedFor: String?, standbys: Int, isTold: Bool
    ) {
        var settings = ["fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"]
        settings["synchronous_standby_names"] = waitedFor
        let problems = RecordDurability(settings: settings, standbys: standbys).problems
        #expect(problems.map(\.setting) == (isTold ? ["PostgreSQL's synchronous_standby_names"] : []))
        #expect(problems.allSatisfy { $0.gravity == .precaution })
        #expect(DurabilityRefusal(problems, level: .ledger) == nil)
    }

    @Test(
        arguments: [
            ("local", 1, ["synchronous_commit"]), ("local", 0, []), ("on", 1, []), ("remote_write", 1, []),
        ] as [(String, Int, [String])])
    func `a standby that is named is not waited for by who waits for the server's own disk only`(
        value: String, standbys: Int, told: [String]
    ) {
        let settings = [
            "fsync": "on", "full_page_writes": "on", "synchronous_commit": value,
            "synchronous_standby_names": "ANY 1 (a, b)",
        ]
        let problems = RecordDurability(settings: settings, standbys: standbys).problems
        #expect(problems.map(\.setting) == told.map { "PostgreSQL's \($0)" })
        #expect(problems.allSatisfy { $0.gravity == .precaution })
    }

    @Test(arguments: [("off", false), ("local", true), ("remote_write", true), ("on", true), ("remote_apply", true)])
    func `what counts is what holds for the program's own sessions`(value: String, isGood: Bool) async throws {
        let options = " options='-c synchronous_commit=\(value)'"
        let server = try await PrivatePostgres.shared()
        #expect(try await problems(server, options: options).isEmpty == isGood)
    }
}
