import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import HTTPTypes
import Hummingbird

/// `GET /api/v1/captures/{id}/evidence`: a settled capture's signature, key and record, for others to verify.
///
/// For the owning device, operators and tokens for evidence only: the metadata may tell where the photo was taken.
struct EvidenceRoute: Sendable {
    let store: any CaptureStore
    let now: TimeSource
    let lookup: CaptureLookup
    let access: AccessControl

    func add(to router: Router<GatewayContext>) {
        router.route(.captureEvidence, use: handle)
    }

    /// Answers with the evidence; a reader who may see an unsettled capture is told that it has none yet.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let reader = try await access.reader(of: request, context)
        guard reader.mayReadEvidence else {
            throw APIError(
                .forbidden, "the metadata may tell a place: only the device, evidence tokens and operators may read it")
        }
        let capture = try APIError.captureID(context.parameters.get("id"))
        guard let recorded = try await recorded(capture), reader.maySee(recorded.result) else {
            throw try await lookup.refusal(of: capture, for: reader, at: now())
        }
        var headers = HTTPFields()
        headers[.cacheControl] = "private, no-store"
        return try Envelope.success(CaptureEvidence(recorded), headers: headers, context: context, now: now())
    }

    private func recorded(_ capture: CaptureID) async throws(APIError) -> RecordedEvidence? {
        try await askingStore { () async throws(StoreError) -> RecordedEvidence? in
            try await store.evidence(of: capture)
        }
    }
}
