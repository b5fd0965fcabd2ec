package import Logging

extension Logger {
    /// The same logger, which drops everything from a cancelled task.
    ///
    /// A server that is stopped before it has begun logs that as an error, although the reason is logged elsewhere.
    package var untilCancelled: Logger { passing { _ in !Task.isCancelled } }

    /// The same logger without the errors that hummingbird's server logs when it is stopped soon after its start.
    ///
    /// It then finds itself closed already when it is to close. That is harmless, and the reason is logged elsewhere.
    /// All its other messages, and those of requests, are kept.
    package var withoutEndOfServer: Logger { passing { !endOfServer.contains("\($0.message)") } }

    private func passing(_ isTaken: @escaping @Sendable (LogEvent) -> Bool) -> Logger {
        var logger = Logger(label: label) { _ in PassingLogHandler(inner: self, isTaken: isTaken) }
        logger.logLevel = logLevel
        return logger
    }
}

private let endOfServer: Set = [
    "Server shutdown error: Already closed", "Waiting on child channel: CancellationError()",
]

/// Passes on only some of the events.
private struct PassingLogHandler: LogHandler {
    private var inner: Logger
    private let isTaken: @Sendable (LogEvent) -> Bool
    var metadata: Logger.Metadata = [:]
    /// The inner logger has the provider.
    var metadataProvider: Logger.MetadataProvider?

    init(inner: Logger, isTaken: @escaping @Sendable (LogEvent) -> Bool) {
        self.inner = inner
        self.isTaken = isTaken
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard isTaken(event) else { return }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        inner.log(
            level: event.level, event.message, metadata: all, source: event.source, file: event.file,
            function: event.function, line: event.line)
    }
}
