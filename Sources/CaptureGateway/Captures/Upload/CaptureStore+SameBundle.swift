import CaptureModel
import CaptureStore

extension CaptureStore {
    /// Whether the result of a capture is of a submission's bytes; `nil` if it has none.
    ///
    /// A result of the same media and metadata counts as theirs if the record does not have its assertion.
    func hasResult(
        of capture: CaptureID, for submission: CaptureSubmission
    ) async throws(StoreError) -> Bool? {
        guard let known = try await result(of: capture) else { return nil }
        guard known.hasDigests(of: submission) else { return false }
        guard let evidence = try await uploaded(with: capture) else { return true }
        return evidence.assertion == submission.assertion
    }
}

extension ProvenanceResult {
    /// Whether the result has a submission's device, binding, media and metadata.
    fileprivate func hasDigests(of submission: CaptureSubmission) -> Bool {
        device == submission.device && binding == submission.binding && photoDigest == submission.photoDigest
            && depthDigest == submission.depthDigest && metadataDigest == .hash(submission.metadata)
    }
}
