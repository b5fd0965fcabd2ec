package import Tracing

/// The trace context as a queued job carries it: one field, the `traceparent`.
package enum JobTrace {
    /// The field for a job that the current span hands on; `nil` outside of any trace.
    package static var current: String? {
        guard let context = InstrumentationContext.current else { return nil }
        var field: String?
        InstrumentationSystem.instrument.inject(context, into: &field, using: Field())
        // Whatever the tracer writes goes into Redis and PostgreSQL: only what is well-formed.
        return field.flatMap { TraceParent($0) }?.description
    }

    /// Whether anybody keeps spans: otherwise making one for each capture is work for nothing.
    package static var keepsSpans: Bool { (InstrumentationSystem.tracer as? LogTracer)?.writesSpans ?? true }

    /// The context that a job's field continues; without one its spans begin a new trace.
    package static func context(of field: String?) -> InstrumentationContext {
        var context = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(field, into: &context, using: Field())
        return context
    }

    private struct Field: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout String?) {
            if key == TraceParent.name { carrier = value }
        }

        func extract(key: String, from carrier: String?) -> String? {
            key == TraceParent.name ? carrier : nil
        }
    }
}
