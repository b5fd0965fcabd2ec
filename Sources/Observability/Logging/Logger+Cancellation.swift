public import Logging

extension Logger {
    /// The same log, which takes nothing more from a task that is cancelled.
    ///
    /// A server that is stopped before it has begun calls that an error, and the reason is told by somebody else.
    public var untilCancelled: Logger {
        var logger = Logger(label: label) { _ in UncancelledLogHandler(inner: self) }
        logger.logLevel = logLevel
        return logger
    }
}

/// Hands on what tasks log that are not cancelled.
private struct UncancelledLogHandler: LogHandler {
    private var inner: Logger
    var metadata: Logger.Metadata = [:]
    /// The log itself asks its own.
    var metadataProvider: Logger.MetadataProvider?

    init(inner: Logger) {
        self.inner = inner
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
        guard !Task.isCancelled else { return }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        inner.log(
            level: event.level, event.message, metadata: all, source: event.source, file: event.file,
            function: event.function, line: event.line)
    }
}
