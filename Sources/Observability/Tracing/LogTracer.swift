package import Logging
package import Tracing

/// The tracer of gateway and worker: it follows traces through gateway, queue and worker in the log.
///
/// Every line that is logged within a span carries `trace_id` and `span_id`
/// (``Logging/Logger/MetadataProvider/trace``). A span itself is a line at `debug` when it ends. A program built with an
/// exporter bootstraps that one in its place, as a process takes one only; the spans are the same.
package struct LogTracer: Tracer {
    private let logger: Logger
    private let random: @Sendable () -> UInt64

    /// Makes a tracer.
    /// - Parameters:
    ///   - logger: Logs spans that have ended.
    ///   - random: 64 random bits for the ids of traces and spans.
    package init(logger: Logger, random: @escaping @Sendable () -> UInt64) {
        self.logger = logger
        self.random = random
    }

    /// Whether the logger's present level includes the lines of spans.
    var writesSpans: Bool { logger.logLevel <= .debug }

    /// Starts a span below the one in the context, or a new trace.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> LogSpan {
        var context = context()
        let parent = context.trace
        context.trace = parent.map { TraceParent(below: $0, random: random) } ?? TraceParent(random: random)
        return LogSpan(
            operationName, context: context, parent: parent, start: instant().nanosecondsSinceEpoch, logger: logger)
    }

    /// Does nothing: lines are written when a span ends.
    package func forceFlush() {}

    /// Reads `traceparent`; a malformed one is ignored.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.trace = extractor.extract(key: TraceParent.name, from: carrier).flatMap { TraceParent($0) }
    }

    /// Writes `traceparent`.
    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.description, forKey: TraceParent.name, into: &carrier)
    }
}

extension InstrumentationContext {
    private enum TraceKey: InstrumentationContextKey {
        typealias Value = TraceParent
        static let nameOverride: String? = TraceParent.name
    }

    /// The current span of a ``LogTracer``'s trace.
    package var trace: TraceParent? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds `trace_id` and `span_id` to everything that is logged within a span of a ``LogTracer``.
    package static let trace = Logger.MetadataProvider {
        guard let trace = InstrumentationContext.current?.trace else { return [:] }
        return ["trace_id": .string(trace.traceID), "span_id": .string(trace.spanID)]
    }
}
