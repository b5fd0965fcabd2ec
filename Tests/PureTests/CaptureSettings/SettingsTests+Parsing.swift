import CaptureSettings
import Foundation
import TestSupport

extension SettingsTests {
    /// The settings that have no default.
    static let minimum = ["CAPTURE_APP_IDS": "TEAM123456.com.example.capture"]

    /// The file in the repository.
    static let file = Repository.directory.appendingPathComponent("Config/capture-processor.yaml").path

    /// The value of each key.
    static func settings(
        _ arguments: [String] = [], _ environment: [String: String] = minimum
    ) async throws -> [String: String] {
        let table = try await Settings(arguments: arguments, environment: environment).table
        return Dictionary(table.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// What is said of settings that are refused.
    static func refusal(_ arguments: [String] = [], _ environment: [String: String] = minimum) async -> String {
        do {
            _ = try await Settings(arguments: arguments, environment: environment)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }
}
