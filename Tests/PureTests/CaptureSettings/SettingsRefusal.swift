import CaptureSettings
import Foundation
import TestSupport

/// A suite of what settings are refused with.
protocol SettingsRefusal {}

extension SettingsRefusal {
    /// What settings are refused with, at the start or where they are used.
    func refusal(
        _ arguments: [String] = [], _ environment: [String: String] = [:], in use: (Settings) throws -> Void = { _ in }
    ) async -> String {
        do {
            let environment = SettingsTests.minimum.merging(environment) { $1 }
            try use(try await Settings(arguments: arguments, environment: environment))
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    func refusal(ofFile text: String) async throws -> String {
        try await withFile(text) { await refusal(["--config", $0]) }
    }

    func withFile(_ text: String, _ body: (String) async throws -> String) async throws -> String {
        let folder = try TemporaryDirectory.make("settings")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("c.yaml").path
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try await body(file)
    }
}
