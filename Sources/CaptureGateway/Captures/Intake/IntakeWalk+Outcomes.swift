import CaptureModel
import CaptureQueue
import Logging
import Observability

extension IntakeWalk {
    /// Counts and tells what became of a capture that the queue did not know.
    func note(_ outcome: RestoreOutcome, of capture: LostCapture, _ progress: inout Progress) {
        let submission = capture.submission
        let metadata: Logger.Metadata = ["capture_id": "\(submission.id)", "device_id": "\(submission.device)"]
        switch outcome {
        case .known, .queued, .accepted, .behind: return
        case .restored:
            progress.restored += 1
            CaptureMetrics.intakeRestored(.kept)
        case .lost where capture.isRedriven:
            // Mostly it died of an earlier loss, which was told. But its bytes may have been there until now.
            progress.restored += 1
            CaptureMetrics.intakeRestored(.dead)
            logger.error("a dead letter is put back without its bytes", metadata: metadata)
        case .lost:
            progress.restored += 1
            progress.lost.append(submission.id)
            CaptureMetrics.intakeRestored(.lost)
            logger.error("the bytes of an accepted capture are lost", metadata: metadata)
        case .invalid(let fault):
            noteInvalid(submission.id, metadata.merging(["fault": "\(fault)"]) { $1 }, &progress)
        }
    }

    /// Each full walk meets it again: it is told until its row is mended or withdrawn.
    func noteInvalid(_ capture: CaptureID, _ metadata: Logger.Metadata, _ progress: inout Progress) {
        progress.invalid.append(capture)
        CaptureMetrics.intakeInvalid()
        logger.error("an accepted capture cannot be put back", metadata: metadata)
    }
}
