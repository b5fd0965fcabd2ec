import ArgumentParser
import CaptureSettings
import FoundationEssentials
import Logging
import ServiceLifecycle

/// Reads the settings for a command; a fault of theirs is bad usage.
enum CommandSettings {
    static func read(config: String?) async throws -> Settings {
        let environment = ProcessInfo.processInfo.environment
        do throws(SettingsError) {
            return try await Settings(arguments: config.map { ["--config", $0] } ?? [], environment: environment)
        } catch {
            throw ValidationError(error.description)
        }
    }
}

/// What the libraries below a command have to say: only what is wrong, on the error stream.
enum CommandLogger {
    static var quiet: Logger {
        var logger = Logger(label: "capturectl") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }
}

extension CommandLogger {
    /// For commands that tell a fault themselves.
    static var silent: Logger { Logger(label: "capturectl") { _ in SwiftLogNoOpLogHandler() } }
}

/// Runs clients while a command uses them, and stops them after.
func withRunning<Value: Sendable>(
    _ services: [any Service], _ body: @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for service in services { group.addTask { try await service.run() } }
        defer { group.cancelAll() }
        return try await body()
    }
}

/// JSON as the commands print it: one line, keys in order.
enum JSONText {
    static func write(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
