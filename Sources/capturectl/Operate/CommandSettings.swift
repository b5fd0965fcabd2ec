import ArgumentParser
import CaptureModel
import CaptureSettings
import FoundationEssentials
import RedisClient

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

extension Settings {
    /// How a command reaches Redis.
    ///
    /// It runs once and nobody calls it again, so it waits for a connection for as long as one may take. Services fail
    /// sooner, and try again.
    func commandRedisConfiguration() throws(SettingsError) -> RedisConfiguration {
        var configuration = try redisConfiguration(name: "capturectl")
        configuration.reconnectGrace = max(configuration.reconnectGrace, configuration.connectTimeout)
        configuration.sendTimeout = max(configuration.sendTimeout, configuration.connectTimeout)
        return configuration
    }
}
