public import CaptureModel

/// What was uploaded with a capture beside photo and depth map, as it came.
public struct UploadedEvidence: Sendable, Equatable {
    /// The assertion.
    public let assertion: [UInt8]
    /// The metadata.
    public let metadata: [UInt8]

    /// Memberwise.
    public init(assertion: [UInt8], metadata: [UInt8]) {
        self.assertion = assertion
        self.metadata = metadata
    }
}

/// Everything that the record keeps of a settled capture: the result, and what is kept beside it.
public struct RecordedEvidence: Sendable, Equatable {
    /// The result.
    public let result: ProvenanceResult
    /// What was uploaded.
    public let uploaded: UploadedEvidence
    /// The device's registration; `nil` when there is none.
    public let registration: DeviceRegistration?
}

extension CaptureStore {
    /// Reads everything that is kept of a settled capture; `nil` when it has no result.
    ///
    /// Results and registrations stay as they are written, so that it takes no transaction.
    public func evidence(of capture: CaptureID) async throws(StoreError) -> RecordedEvidence? {
        guard let result = try await results(of: [capture])[capture], let uploaded = try await uploaded(with: capture)
        else { return nil }
        return RecordedEvidence(
            result: result, uploaded: uploaded, registration: try await record(of: result.device)?.registration)
    }
}
