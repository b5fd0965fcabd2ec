package import CaptureModel

/// Everything that the record keeps about a settled capture: the result and its evidence.
package struct RecordedEvidence: Sendable, Equatable {
    /// The result.
    package let result: ProvenanceResult
    /// The uploaded evidence.
    package let uploaded: UploadedEvidence
    /// The device's registration; `nil` when there is none.
    package let registration: DeviceRegistration?
    /// The attestation that the result rests on, when it is not the registration's own.
    package let laterAttestation: LaterAttestation?
}

extension CaptureStore {
    /// Reads everything that is kept of a settled capture; `nil` when it has no result.
    ///
    /// Results, registrations and attestations never change, so it needs no transaction.
    package func evidence(of capture: CaptureID) async throws(StoreError) -> RecordedEvidence? {
        guard let result = try await result(of: capture), let uploaded = try await uploaded(with: capture)
        else { return nil }
        return RecordedEvidence(
            result: result, uploaded: uploaded, registration: try await record(of: result.device)?.registration,
            laterAttestation: try await laterAttestation(for: capture))
    }
}
