import CaptureInspection
import CaptureModel

extension MediaFindings {
    /// The reason of the first failed check that rejects the capture, if one does.
    var rejection: Reason? {
        checks.first { $0.outcome == .fail && $0.reason?.isDecisive == true }?.reason
    }

    /// The reasons of the failed checks that only warn.
    var warnings: [Reason] {
        checks.compactMap { $0.outcome == .fail && $0.reason?.isDecisive == false ? $0.reason : nil }
    }
}
