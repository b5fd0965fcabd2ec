import Logging

/// The logger for libraries: only warnings and errors, on the error stream.
enum CommandLogger {
    static var quiet: Logger {
        var logger = Logger(label: "capturectl") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    /// For commands that report faults themselves.
    static var silent: Logger { Logger(label: "capturectl") { _ in SwiftLogNoOpLogHandler() } }
}
