import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import HTTPTypes
import Hummingbird

/// Answers with a settled capture's signature, key and record: at the API, and at the dashboard as a file.
struct EvidenceAnswer: Sendable {
    let store: any CaptureStore
    let now: TimeSource
    let lookup: CaptureLookup

    /// The evidence; a reader who may see an unsettled capture is told that it has none yet.
    ///
    /// - Precondition: The reader may read evidence.
    func response(
        on capture: CaptureID, for reader: Reader, headers: HTTPFields, _ context: GatewayContext
    ) async throws(APIError) -> Response {
        guard let recorded = try await recorded(capture), reader.maySee(recorded.result) else {
            throw try await lookup.refusal(of: capture, for: reader, at: now())
        }
        return try Envelope.success(CaptureEvidence(recorded), headers: headers, context: context, now: now())
    }

    private func recorded(_ capture: CaptureID) async throws(APIError) -> RecordedEvidence? {
        try await askingStore { () async throws(StoreError) -> RecordedEvidence? in
            try await store.evidence(of: capture)
        }
    }
}
