import ArgumentParser
import CaptureModel
import CaptureSettings
import FoundationEssentials

/// Reads the settings for a command; invalid ones are bad usage.
enum CommandSettings {
    static func read(config: String?) async throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        do throws(SettingsError) {
            return try await Settings(
                arguments: config.map { ["--config", $0] } ?? [], environment: environment, program: .capturectl)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
