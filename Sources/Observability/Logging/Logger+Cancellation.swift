package import Logging

extension Logger {
    /// The same log, which takes nothing more from a task that is cancelled.
    ///
    /// A server that is stopped before it has begun calls that an error, and the reason is told by somebody else.
    package var untilCancelled: Logger { passing { _ in !Task.isCancelled } }

    /// The same log without what hummingbird's server calls errors when it is stopped soon after its start.
    ///
    /// That it is closed already when it is to be closed keeps nobody from anything, and the reason is told by somebody
    /// else. Whatever else it says at that time, and what requests say, is kept.
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

/// Hands on some of what is logged.
private struct PassingLogHandler: LogHandler {
    private var inner: Logger
    private let isTaken: @Sendable (LogEvent) -> Bool
    var metadata: Logger.Metadata = [:]
    /// The log itself asks its own.
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
