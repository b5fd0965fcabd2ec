import CaptureModel
import CaptureStore
import Hummingbird

/// `GET /api/v1/captures/{id}/provenance`: the record of a settled capture.
struct ProvenanceRoute: Sendable {
    let store: any CaptureStore
    let now: TimeSource
    let lookup: CaptureLookup
    let access: AccessControl

    /// Answers with the record; a reader who may see an unsettled capture is told that it has none yet.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let reader = try await access.reader(of: request, context)
        let capture = try APIError.captureID(context.parameters.get("id"))
        guard let result = try await result(of: capture), reader.maySee(result) else {
            throw try await lookup.refusal(of: capture, for: reader, at: now())
        }
        return try Envelope.success(ProvenanceDocument(result), context: context, now: now())
    }

    private func result(of capture: CaptureID) async throws(APIError) -> ProvenanceResult? {
        try await askingStore { () async throws(StoreError) -> ProvenanceResult? in
            try await store.result(of: capture)
        }
    }
}
