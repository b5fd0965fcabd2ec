import CaptureModel
import CaptureQueue
import Logging
import Observability
import Tracing

/// The last lines that the log has of captures, each in the trace of its upload.
struct SettlementLog {
    private let contexts: [CaptureID: InstrumentationContext]
    private let logger: Logger

    /// Takes over what the jobs of a batch carry of their uploads.
    init(of batch: [LanePortion], logger: Logger) {
        contexts = Dictionary(
            batch.flatMap(\.jobs).map { ($0.id, JobTrace.context(of: $0.submission?.traceParent)) }
        ) { first, _ in first }
        self.logger = logger
    }

    /// Makes a span of what was done to each of some captures together.
    func span(_ name: String, of captures: [CaptureID], since start: DefaultTracerClock.Instant) {
        let (tracer, end) = (InstrumentationSystem.tracer, DefaultTracerClock.now)
        for capture in captures {
            guard let context = contexts[capture] else { continue }
            let span = tracer.startSpan(name, context: context, ofKind: .consumer, at: start)
            span.attributes["capture_id"] = "\(capture)"
            span.end(at: end)
        }
    }

    /// Tells what became of the captures of a lane.
    func note(_ settlement: LaneSettlement) {
        for item in settlement.items {
            let ids: Logger.Metadata = ["capture_id": "\(item.id)", "device_id": "\(settlement.device)"]
            InstrumentationContext.withValue(contexts[item.id]) {
                switch item.disposition {
                case .settled(let verdict, let reason, _):
                    var metadata = ids
                    metadata["verdict"] = "\(verdict.rawValue)"
                    if let reason { metadata["reason"] = "\(reason.rawValue)" }
                    logger.info("capture settled", metadata: metadata)
                case .dead(let reason, let fault):
                    logger.error(
                        "capture is a dead letter",
                        metadata: ids.merging(["reason": "\(reason.rawValue)", "fault": "\(fault)"]) { $1 })
                }
            }
        }
        if case .delayed(let delay, _, let fault) = settlement.continuation {
            logger.info(
                "lane is put off",
                metadata: [
                    "device_id": "\(settlement.device)", "fault": "\(fault)",
                    "delay_ms": "\(Int(delay / .milliseconds(1)))",
                ])
        }
    }
}
