import CaptureInspection
import CaptureModel

extension WorkerConfiguration {
    /// Why a capture is too large to be fetched, by its declared sizes; `nil` when it is not.
    ///
    /// Gateways set the same limits for the hand-off. A larger capture was accepted before they did, or before the
    /// settings were lowered. Its bytes may be more than one answer of Redis may have. Without bytes there is no
    /// digest and so no verdict: an operator decides, who may raise the setting and put it back. Dead letters are
    /// grouped by these words, so they do not have the capture's own size, which its job has.
    func excess(of submission: CaptureSubmission) -> String? {
        if submission.photoBytes > inspection.photoBytesMax {
            return "the photo is larger than capture.photoBytesMax (\(inspection.photoBytesMax))"
        }
        if submission.depthBytes > inspection.depthBytesMax {
            return "the depth map is larger than capture.depthBytesMax (\(inspection.depthBytesMax))"
        }
        return nil
    }
}
