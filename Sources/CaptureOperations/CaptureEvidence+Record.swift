package import CaptureStore
package import Evidence

extension CaptureEvidence {
    /// Takes from the record what others may verify.
    package init(_ recorded: RecordedEvidence) {
        self.init(
            result: Result(recorded.result), assertion: recorded.uploaded.assertion,
            metadata: recorded.uploaded.metadata,
            key: recorded.registration.map { Key($0, attestedAgain: recorded.laterAttestation) })
    }
}
