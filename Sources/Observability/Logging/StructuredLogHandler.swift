package import CaptureModel
package import Logging

/// Writes each event as one line, for machines or for people.
///
/// ```swift
/// let logger = Logger(label: "gateway") { label in
///     StructuredLogHandler(label: label, format: .json, sink: .standardError, time: Timestamp.systemTime)
/// }
/// ```
package struct StructuredLogHandler: LogHandler {
    private let label: String
    private let format: LogFormat
    private let sink: LogSink
    private let time: TimeSource

    /// Events below this level are not logged.
    package var logLevel: Logger.Level
    /// The metadata that are added to each event.
    package var metadata: Logger.Metadata = [:]
    /// The provider of metadata from the context in which an event is logged.
    package var metadataProvider: Logger.MetadataProvider?

    /// Makes a handler.
    package init(
        label: String, format: LogFormat, sink: LogSink, level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = nil, time: @escaping TimeSource
    ) {
        self.label = label
        self.format = format
        self.sink = sink
        self.logLevel = level
        self.metadataProvider = metadataProvider
        self.time = time
    }

    /// One entry of the metadata that are added to each event.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event; the most specific of its metadata wins.
    package func log(event: LogEvent) {
        var merged = metadata
        if let provided = metadataProvider?.get() { merged.merge(provided) { $1 } }
        if let own = event.metadata { merged.merge(own) { $1 } }
        // The type only: an error's description may hold more than belongs in a log.
        if let error = event.error { merged["error.type"] = .string(String(reflecting: type(of: error))) }
        let line = line(event.level, event.message.description, merged)
        sink.write(line.text(format)) { dropped in
            self.line(.warning, "log lines were dropped", ["dropped": .stringConvertible(dropped)]).text(format)
        }
    }

    private func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> LogLine {
        LogLine(time: time(), level: level, label: label, message: message, metadata: metadata)
    }
}

extension StructuredLogHandler {
    /// Makes every logger of the process write lines to a sink; called once, at the very start of a program.
    ///
    /// - Parameters:
    ///   - level: The lowest level that is logged.
    ///   - format: `nil` chooses text on terminals and JSON elsewhere.
    ///   - sink: The destination of the lines.
    ///   - time: The source of the time.
    package static func bootstrap(
        level: Logger.Level, format: LogFormat? = nil, sink: LogSink = .standardError, time: @escaping TimeSource
    ) {
        let format = format ?? (sink.isTerminal ? .text : .json)
        LoggingSystem.bootstrap(
            { label, provider in
                StructuredLogHandler(
                    label: label, format: format, sink: sink, level: level, metadataProvider: provider, time: time)
            }, metadataProvider: .trace)
    }
}
