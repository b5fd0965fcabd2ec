import Logging

/// What the libraries below a command have to say: only what is wrong, on the error stream.
enum CommandLogger {
    static var quiet: Logger {
        var logger = Logger(label: "capturectl") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    /// For commands that tell a fault themselves.
    static var silent: Logger { Logger(label: "capturectl") { _ in SwiftLogNoOpLogHandler() } }
}
