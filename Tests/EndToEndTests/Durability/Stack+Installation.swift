import Foundation
import TestSupport

extension Stack {
    /// The id of this stack's installation, as its record has it.
    func installation() async throws -> String {
        try await psql("SELECT id FROM installation").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs `capturectl` with some settings that are not this stack's.
    func capturectl(
        _ arguments: [String], with settings: [String: String]
    ) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            Programs.path("capturectl"), arguments, environment: environment.merging(settings) { $1 })
    }
}

extension PrivateRedis {
    /// The id of the installation that a queue of one partition is tied to.
    func installation() async throws -> String {
        try await cli("HGET", "{cq:0}:limits", "installation").trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
