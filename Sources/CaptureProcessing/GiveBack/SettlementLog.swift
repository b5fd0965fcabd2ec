import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import Observability
import Tracing

/// Writes the last log lines about captures, each in the trace of its upload.
struct SettlementLog {
    /// The batch, whose jobs carry the traces of their uploads.
    let batch: [LanePortion]
    let logger: Logger

    /// The trace of a capture, looked up only when needed: most captures have no line and no span.
    private func context(of capture: CaptureID) -> InstrumentationContext {
        for portion in batch {
            if let job = portion.jobs.first(where: { $0.id == capture }) {
                return JobTrace.context(of: job.submission?.traceParent)
            }
        }
        return JobTrace.context(of: nil)
    }

    /// Makes a span for each of some captures that were worked together.
    /// - Parameter captures: Evaluated only where spans are kept.
    func span(
        _ name: String, of captures: @autoclosure () -> [CaptureID], since start: DefaultTracerClock.Instant
    ) {
        guard JobTrace.keepsSpans else { return }
        let (tracer, end) = (InstrumentationSystem.tracer, DefaultTracerClock.now)
        for capture in captures() {
            let span = tracer.startSpan(name, context: context(of: capture), ofKind: .consumer, at: start)
            span.attributes["capture_id"] = "\(capture)"
            span.end(at: end)
        }
    }

    /// Logs the outcomes of a lane's captures; verified ones only at `debug`.
    func note(_ settlement: LaneSettlement) {
        for item in settlement.items {
            switch item.disposition {
            case .settled(let decision):
                write(
                    decision == .verified ? .debug : .info, "capture settled", item.id, settlement.device,
                    Self.facts(decision))
            case .dead(let reason, let fault):
                write(
                    .error, "capture is a dead letter", item.id, settlement.device,
                    ["reason": "\(reason.rawValue)", "fault": "\(fault)"])
            }
        }
        if case .delayed(let delay, let reason, let fault, _) = settlement.continuation {
            var facts: Logger.Metadata = ["fault": "\(fault)", "delay_ms": "\(Int(delay / .milliseconds(1)))"]
            guard let reason, let head = head(of: settlement) else {
                facts["device_id"] = "\(settlement.device)"
                return logger.info("lane is put off", metadata: facts)
            }
            facts["reason"] = "\(reason.rawValue)"
            write(Self.level(of: head), "lane is put off", head.id, settlement.device, facts)
        }
    }

    /// Logs that an attested key has signed two captures with one counter.
    func note(_ conflict: CounterConflict, of device: DeviceID) {
        write(
            .critical, "an attested key has signed two captures with one counter", conflict.capture, device,
            ["verified_capture_id": "\(conflict.verified)"])
    }

    /// The capture at which a lane is put off.
    private func head(of settlement: LaneSettlement) -> ClaimedJob? {
        batch.first { $0.lease.token == settlement.token }?.jobs.dropFirst(settlement.items.count).first
    }

    /// A fault of a capture's own bytes is an error at the first try, and a warning at later ones.
    ///
    /// A job does not say why it was put off before. Its dead letter is an error again.
    private static func level(of job: ClaimedJob) -> Logger.Level {
        if case .valid(let job) = job, job.attempts > 1 { .warning } else { .error }
    }

    private static func facts(_ decision: Decision) -> Logger.Metadata {
        var facts: Logger.Metadata = ["verdict": "\(decision.verdict.rawValue)"]
        if let reason = decision.reason { facts["reason"] = "\(reason.rawValue)" }
        return facts
    }

    private func write(
        _ level: Logger.Level, _ message: Logger.Message, _ capture: CaptureID, _ device: DeviceID,
        _ facts: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= level else { return }
        let ids: Logger.Metadata = ["capture_id": "\(capture)", "device_id": "\(device)"]
        InstrumentationContext.withValue(context(of: capture)) {
            logger.log(level: level, message, metadata: ids.merging(facts()) { $1 })
        }
    }
}
