package import Tracing

/// The trace context in a queued job: one field, the `traceparent`.
package enum JobTrace {
    /// The field for a job that is queued within the current span; `nil` outside of any trace.
    package static var current: String? {
        guard let context = InstrumentationContext.current else { return nil }
        var field: String?
        InstrumentationSystem.instrument.inject(context, into: &field, using: Field())
        // The field is stored in Redis and PostgreSQL, so only a well-formed one is taken from the tracer.
        return field.flatMap { TraceParent($0) }?.description
    }

    /// Whether spans are kept; if not, a program can spare making one for each capture.
    package static var keepsSpans: Bool { (InstrumentationSystem.tracer as? LogTracer)?.writesSpans ?? true }

    /// The context that a job's field continues; without a field its spans begin a new trace.
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
