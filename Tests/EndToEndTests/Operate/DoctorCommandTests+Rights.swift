import Foundation
import TestSupport
import Testing

/// A user of PostgreSQL that is not the tables' owner, as after a restore by somebody else.
extension DoctorCommandTests {
    /// Runs the doctor as a new user with some rights.
    private func report(
        as name: String, granted role: String? = nil, of stack: Stack
    ) async throws -> (exitCode: Int32, errors: String, object: [String: Any]) {
        let user = "\(name)_\(stack.databaseName)"
        try await stack.psql("CREATE ROLE \(user) LOGIN")
        if let role { try await stack.psql("GRANT \(role) TO \(user)") }
        let url = stack.environment["CAPTURE_POSTGRES_URL"]?.replacing("user=capture", with: "user=\(user)") ?? ""
        let run = try await CommandLineRun(
            ["doctor", "--json"], environment: stack.environment.merging(["CAPTURE_POSTGRES_URL": url]) { $1 })
        return (run.exitCode, run.errors, try run.objects().first ?? [:])
    }

    @Test func `a user of PostgreSQL who may only read is a problem`() async throws {
        let stack = try await Stack.start()
        let run = try await report(as: "reader", granted: "pg_read_all_data", of: stack)
        #expect(run.exitCode == 1 && run.object["healthy"] as? Bool == false, "\(run)")
        let line = try check("writes to PostgreSQL", of: run.object)
        #expect(line["state"] as? String == "problem", "\(line)")
        #expect((line["examples"] as? [String])?.contains("INSERT on audit") == true, "\(line)")
        // Its log says that the server is away, and the alert rises.
        #expect("\(line)".contains("a worker that needs one waits as if PostgreSQL were away"), "\(line)")
    }

    @Test func `one who may not even read is a problem, and Redis is looked at`() async throws {
        let stack = try await Stack.start()
        let run = try await report(as: "stranger", of: stack)
        #expect(run.exitCode == 70 && run.errors.hasPrefix("capturectl: PostgreSQL: "), "\(run)")
        let line = try check("PostgreSQL", of: run.object)
        #expect(line["state"] as? String == "problem" && "\(line)".contains("may not read attestations"), "\(line)")
        #expect(try check("lanes and tokens", of: run.object)["state"] as? String == "ok", "\(run)")
    }
}
