import Logging
import Synchronization
import Testing
import Tracing

@testable import Observability

@Suite("Traces go from process to process and into the log")
struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(arguments: [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", true),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
        ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319cb-7ad6b7169203331-01", false),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333\u{661}-1", false),
        ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false),
        ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra", false),
        ("", false),
    ])
    func `only a well-formed traceparent is read, and written as it was`(_ header: String, _ isGood: Bool) {
        #expect(TraceParent(header)?.description == (isGood ? header : nil))
    }

    @Test func `of the flags only the one that has a meaning goes on`() {
        #expect(TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff")?.description == Self.parent)
    }

    @Test func `a job continues the trace of the span that handed it on`() throws {
        let log = TraceLog()
        try withTracer(log.tracer) {
            var field: String?
            withSpan("upload", context: JobTrace.context(of: Self.parent), ofKind: .server) { _ in
                field = JobTrace.current
            }
            let handedOn = try #require(field.flatMap { TraceParent($0) })
            #expect(handedOn.traceID == "0af7651916cd43dd8448eb211c80319c")
            #expect(handedOn.spanID != "b7ad6b7169203331")
            withSpan("verify", context: JobTrace.context(of: field), ofKind: .consumer) { _ in }
            let lines = log.lines
            #expect(lines.map { $0["span"] } == ["upload", "verify"])
            #expect(lines.map { $0["trace_id"] } == [handedOn.traceID, handedOn.traceID])
            #expect(lines[0]["parent_id"] == "b7ad6b7169203331")
            #expect(lines[1]["parent_id"] == handedOn.spanID)
        }
    }

    @Test(arguments: [nil, "nonsense", "00-00000000000000000000000000000000-b7ad6b7169203331-01"])
    func `a job without a good field begins a trace of its own`(field: String?) throws {
        let log = TraceLog()
        try withTracer(log.tracer) {
            withSpan("verify", context: JobTrace.context(of: field)) { _ in }
            let line = try #require(log.lines.first)
            #expect(line["trace_id"]?.count == 32 && line["parent_id"] == nil)
        }
    }

    @Test func `outside of any trace nothing is handed on`() {
        withTracer(TraceLog().tracer) { #expect(JobTrace.current == nil) }
    }

    @Test func `a line of the log names the span in which it was written`() {
        withTracer(TraceLog().tracer) {
            #expect(Logger.MetadataProvider.trace.get() == [:])
            withSpan("upload", context: JobTrace.context(of: Self.parent)) { _ in
                #expect(Logger.MetadataProvider.trace.get()["trace_id"] == "0af7651916cd43dd8448eb211c80319c")
            }
        }
    }

    @Test func `a span tells its end once, its failure by kind, and its attributes`() throws {
        struct Secret: Error { let words = "secret" }
        let log = TraceLog()
        let span = log.tracer.startSpan("work", context: .topLevel)
        span.attributes["capture_id"] = "c"
        span.attributes["count"] = 3
        span.recordError(Secret())
        #expect(span.isRecording)
        span.end()
        span.end()
        #expect(!span.isRecording)
        let line = try #require(log.lines.first)
        #expect(log.lines.count == 1)
        #expect(line["capture_id"] == "c" && line["count"] == "3")
        #expect(line["fault"]?.contains("Secret") == true && !"\(line)".contains("words"))
    }
}

/// A tracer whose spans can be looked at.
private final class TraceLog: Sendable {
    private let store = Store()

    final class Store: Sendable {
        let lines = Mutex<[[String: String]]>([])
    }

    var lines: [[String: String]] { store.lines.withLock { $0 } }

    var tracer: LogTracer {
        let store = store
        let logger = Logger(label: "spans") { _ in Handler(store: store) }
        return LogTracer(logger: logger) { .random(in: 0 ... .max) }
    }

    private struct Handler: LogHandler {
        let store: Store
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            store.lines.withLock { $0.append((event.metadata ?? [:]).mapValues { "\($0)" }) }
        }
    }
}
