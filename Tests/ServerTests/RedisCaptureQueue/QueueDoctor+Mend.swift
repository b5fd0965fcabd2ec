import CaptureQueue
import RedisCaptureQueue

extension QueueDoctor {
    /// Mends findings to the end; returns those that were mended.
    func mend(
        _ findings: [QueueFinding], _ rules: MendingRules = MendingRules()
    ) async throws(QueueError) -> [QueueFinding] {
        var mending = Mending()
        try await mend(findings, rules, into: &mending)
        return mending.mended
    }
}
