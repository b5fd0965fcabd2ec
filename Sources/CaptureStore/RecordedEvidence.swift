package import CaptureModel

/// What was uploaded with a capture beside photo and depth map, as it came.
package struct UploadedEvidence: Sendable, Equatable {
    /// The assertion.
    package let assertion: [UInt8]
    /// The metadata.
    package let metadata: [UInt8]

    /// Memberwise.
    package init(assertion: [UInt8], metadata: [UInt8]) {
        self.assertion = assertion
        self.metadata = metadata
    }
}

/// Everything that the record keeps of a settled capture: the result, and what is kept beside it.
package struct RecordedEvidence: Sendable, Equatable {
    /// The result.
    package let result: ProvenanceResult
    /// What was uploaded.
    package let uploaded: UploadedEvidence
    /// The device's registration; `nil` when there is none.
    package let registration: DeviceRegistration?
}

extension CaptureStore {
    /// Reads everything that is kept of a settled capture; `nil` when it has no result.
    ///
    /// Results and registrations stay as they are written, so that it takes no transaction.
    package func evidence(of capture: CaptureID) async throws(StoreError) -> RecordedEvidence? {
        guard let result = try await result(of: capture), let uploaded = try await uploaded(with: capture)
        else { return nil }
        return RecordedEvidence(
            result: result, uploaded: uploaded, registration: try await record(of: result.device)?.registration)
    }
}
