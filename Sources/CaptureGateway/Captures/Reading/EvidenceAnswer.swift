import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import HTTPTypes
import Hummingbird
import Logging

/// Answers with a settled capture's signature, key and record: at the API, and at the dashboard as a file.
struct EvidenceAnswer: Sendable {
    let store: any CaptureStore
    let now: TimeSource
    let lookup: CaptureLookup

    /// The evidence; a reader who may see an unsettled capture is told that it has none yet.
    ///
    /// - Parameter name: Whom the log names as its reader, since it may tell a place; `nil` of a device, which is not
    ///   noted.
    /// - Precondition: The reader may read evidence.
    func response(
        on capture: CaptureID, for reader: Reader, named name: String?, headers: HTTPFields, _ context: GatewayContext
    ) async throws(APIError) -> Response {
        guard let recorded = try await recorded(capture), reader.maySee(recorded.result) else {
            throw try await lookup.refusal(of: capture, for: reader, at: now())
        }
        let answer = try Envelope.success(CaptureEvidence(recorded), headers: headers, context: context, now: now())
        if let name {
            context.logger.info("evidence was read", metadata: ["capture_id": "\(capture)", "actor": "\(name)"])
        }
        return answer
    }

    private func recorded(_ capture: CaptureID) async throws(APIError) -> RecordedEvidence? {
        try await askingStore { () async throws(StoreError) -> RecordedEvidence? in
            try await store.evidence(of: capture)
        }
    }
}
