import CaptureModel
import RedisCaptureQueue

/// Something wrong that `--fix` repairs, named as in the audit.
struct Repairable: Hashable, Sendable {
    /// The check that found it.
    let check: String
    /// What is wrong.
    let fault: String
    /// What it is wrong with.
    let subject: String

    /// The function library is not loaded, or is an older one.
    static let library = Repairable(
        check: DoctorReport.library, fault: "LIBRARY_NOT_CURRENT", subject: DoctorReport.library)

    private init(check: String, fault: String, subject: String) {
        self.check = check
        self.fault = fault
        self.subject = subject
    }

    /// A finding of the queue's own.
    init(_ finding: QueueFinding) {
        self.init(check: finding.fault.check, fault: finding.fault.rawValue, subject: finding.subject)
    }

    /// A dead letter that has a result.
    init(letter: CaptureID) {
        self.init(check: DoctorReport.results, fault: "DEAD_LETTER_WITH_RESULT", subject: "\(letter)")
    }

    /// An open row whose capture the queue calls settled.
    init(row: CaptureID) {
        self.init(check: DoctorReport.intake, fault: "SETTLED_WITHOUT_RESULT", subject: "\(row)")
    }

    /// A capture without an open row that the queue calls settled and that has no result.
    init(status: CaptureID) {
        self.init(check: DoctorReport.statuses, fault: "STATUS_WITHOUT_RESULT", subject: "\(status)")
    }

    /// Whether a counter is wrong: all of them are counted again at once, and each count has its values as subject.
    var isOfLevel: Bool { fault == QueueFault.levelWrong.rawValue }
}
