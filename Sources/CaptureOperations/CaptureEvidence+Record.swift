package import CaptureStore
package import Evidence

extension CaptureEvidence {
    /// What others may verify of what the record keeps.
    package init(_ recorded: RecordedEvidence) {
        self.init(
            result: Result(recorded.result), assertion: recorded.uploaded.assertion,
            metadata: recorded.uploaded.metadata, key: recorded.registration.map { Key($0) })
    }
}
