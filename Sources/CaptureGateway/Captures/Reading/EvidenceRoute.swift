import CaptureModel
import HTTPTypes
import Hummingbird

/// `GET /api/v1/captures/{id}/evidence`: a settled capture's signature, key and record, for others to verify.
///
/// For the owning device, operators and tokens for evidence only: the metadata may tell where the photo was taken.
struct EvidenceRoute: Sendable {
    let answer: EvidenceAnswer
    let access: AccessControl

    /// Answers with the evidence.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let reader = try await access.reader(of: request, context)
        guard reader.mayReadEvidence else {
            throw APIError(
                .forbidden, "the metadata may tell a place: only the device, evidence tokens and operators may read it")
        }
        let capture = try APIError.captureID(context.parameters.get("id"))
        var headers = HTTPFields()
        headers[.cacheControl] = "private, no-store"
        return try await answer.response(
            on: capture, for: reader, named: access.name(of: reader, request), headers: headers, context)
    }
}
