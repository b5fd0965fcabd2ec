import Foundation
import TestSupport

/// A lock that somebody holds, so that a program stands still in the middle of a statement.
struct Standstill: Sendable {
    private let stack: Stack
    private let holder: LeashedProcess
    /// The name of its session.
    private let name: String

    private static let sessions = "FROM pg_stat_activity WHERE datname = current_database()"

    /// Takes a lock, and returns once it is held.
    /// - Parameter lock: The statement that takes it.
    static func begin(in stack: Stack, _ lock: String) async throws -> Standstill {
        let name = "standstill \(UUID())"
        let holder = try stack.postgres.session(
            "SET application_name = '\(name)'; BEGIN; \(lock); SELECT pg_sleep(600); COMMIT",
            database: stack.databaseName)
        try await eventually { try await stack.psql("SELECT count(*) \(sleeping(name))") == "1" }
        return Standstill(stack: stack, holder: holder, name: name)
    }

    /// Returns once a program has sent a statement that waits for the lock.
    func untilMet(by program: String) async throws {
        try await eventually { try await stack.psql("SELECT count(*) > 0 \(Self.waiting(program))") == "t" }
    }

    /// Has the server end the sessions of a program that wait for the lock, and their statements with them.
    func endWaiting(_ program: String) async throws {
        let ended = try await stack.psql("SELECT bool_and(pg_terminate_backend(pid, 10000)) \(Self.waiting(program))")
        guard ended == "t" else { throw LeashedProcess.Failure(description: "no session of \(program) was ended") }
    }

    /// Releases the lock: whatever waits for it goes on, whether its program is still there or not.
    func end() async throws {
        _ = try await stack.psql("SELECT pg_terminate_backend(pid, 10000) \(Self.sleeping(name))")
        _ = try await holder.exitCode()
    }

    private static func sleeping(_ name: String) -> String {
        "\(sessions) AND wait_event = 'PgSleep' AND application_name = '\(name)'"
    }

    private static func waiting(_ program: String) -> String {
        "\(sessions) AND wait_event_type = 'Lock' AND application_name = '\(program)'"
    }
}
