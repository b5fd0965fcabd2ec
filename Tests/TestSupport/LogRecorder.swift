package import Logging
import Synchronization

/// Keeps what is logged, one line for each event: `error redis is away`.
package final class LogRecorder: LogHandler, Sendable {
    private let recorded = Mutex<[(line: String, metadata: Logger.Metadata)]>([])
    private let level: Logger.Level

    /// Keeps events of a level and the more severe ones.
    package init(from level: Logger.Level = .info) {
        self.level = level
    }

    /// Everything so far.
    package var lines: [String] { recorded.withLock { $0.map { $0.line } } }

    /// What the events say under a key, in their order; those that say nothing under it are left out.
    package func values(of key: String) -> [String] {
        recorded.withLock { $0.compactMap { event in event.metadata[key].map { "\($0)" } } }
    }

    /// A logger that writes here.
    package var logger: Logger { Logger(label: "test") { _ in self } }

    /// Keeps an event.
    package func log(event: LogEvent) {
        recorded.withLock { $0.append(("\(event.level) \(event.message)", event.metadata ?? [:])) }
    }

    /// A logger's own metadata are not kept.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    /// A logger's own metadata are not kept.
    package var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    /// The level, which stays.
    package var logLevel: Logger.Level {
        get { level }
        set {}
    }
}

extension Logger {
    /// One that keeps silent: the faults of a test are made on purpose.
    package static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
