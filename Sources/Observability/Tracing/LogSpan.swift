import Logging
import Synchronization
package import Tracing

/// A span of a ``LogTracer``: one line at `debug` when it ends.
package final class LogSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var fault: String?
        var isFailed = false
        var isEnded = false
    }

    /// The context that child spans inherit.
    package let context: InstrumentationContext
    private let parent: TraceParent?
    private let start: UInt64
    private let logger: Logger
    private let state: Mutex<State>

    init(_ name: String, context: InstrumentationContext, parent: TraceParent?, start: UInt64, logger: Logger) {
        self.context = context
        self.parent = parent
        self.start = start
        self.logger = logger
        state = Mutex(State(name: name))
    }

    /// The name of the operation.
    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The attributes of the span.
    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    /// Whether it has not ended.
    package var isRecording: Bool { state.withLock { !$0.isEnded } }

    /// Notes whether it has failed.
    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.isFailed = status.code == .error }
    }

    /// Notes the type of an error: its description may hold more than belongs in a log.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.fault = String(reflecting: type(of: error)) }
    }

    /// Ignored: events are lines of the log already.
    package func addEvent(_ event: SpanEvent) {}

    /// Ignored: only parents are followed here.
    package func addLink(_ link: SpanLink) {}

    /// Writes the line, once.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { state -> State? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            return state
        }
        guard let ended, let trace = context.trace, logger.logLevel <= .debug else { return }
        let nanoseconds = instant().nanosecondsSinceEpoch
        let microseconds = nanoseconds > start ? (nanoseconds - start) / 1000 : 0
        var metadata: Logger.Metadata = [
            "span": .string(ended.name), "took_us": .stringConvertible(microseconds),
            "trace_id": .string(trace.traceID), "span_id": .string(trace.spanID),
        ]
        if let parent { metadata["parent_id"] = .string(parent.spanID) }
        if ended.isFailed || ended.fault != nil { metadata["fault"] = .string(ended.fault ?? "failed") }
        ended.attributes.forEach { key, attribute in
            if let value = Self.text(attribute) { metadata[key] = .string(value) }
        }
        logger.debug("span ended", metadata: metadata)
    }

    private static func text(_ attribute: SpanAttribute) -> String? {
        switch attribute {
        case .string(let text): text
        case .int32(let number): String(number)
        case .int64(let number): String(number)
        case .bool(let flag): String(flag)
        default: nil
        }
    }
}
