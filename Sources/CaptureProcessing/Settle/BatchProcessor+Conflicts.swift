import CaptureModel
import CaptureStore
import Logging
import Observability

extension BatchProcessor {
    /// Raises the alarm where an attested key has signed other content with the counter of a verified capture.
    ///
    /// The record is asked once, and only about replays of attested keys; whether it answers changes nothing for the
    /// batch. Replays that an earlier run has settled are asked about as well: its worker may have died before it told.
    func tellConflicts(among captures: [ExaminedCapture], _ decided: BatchDecision, in log: SettlementLog) async {
        let replays = captures.filter {
            decided.settled[$0.job.id]?.reason == .counterReplay && $0.device?.level == .secureEnclave
        }
        guard !replays.isEmpty else { return }
        do throws(StoreError) {
            let conflicts = try await store.counterConflicts(of: replays.map(\.job.id))
            guard !conflicts.isEmpty else { return }
            CaptureMetrics.counterConflicts(conflicts.count)
            let devices = Dictionary(replays.map { ($0.job.id, $0.job.device) }) { first, _ in first }
            for conflict in conflicts {
                guard let device = devices[conflict.capture] else { continue }
                log.note(conflict, of: device)
            }
        } catch {
            logger.warning(
                "whether replays have other content than the verified captures cannot be read",
                metadata: ["captures": "\(replays.count)", "fault": "\(error)"])
        }
    }
}
