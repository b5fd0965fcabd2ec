import CaptureModel
import CaptureOperations
import Hummingbird

/// `GET /api/v1/captures`: captures that pass a filter, page by page, for holders of tokens.
struct ListingRoute: Sendable {
    let listing: CaptureListing?
    let now: TimeSource
    let access: AccessControl

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireTokenOrSession(of: request, context)
        guard let listing else { throw APIError(.notFound, "this gateway keeps no lists") }
        let page = try await listing.page(ListingQuery(strict: FormFields(request.uri.query ?? "")))
        return try Envelope.success(Answer(page), context: context, now: now())
    }

    /// A page as it is answered.
    struct Answer: Encodable, Sendable {
        private let captures: [ListedCaptureDocument]
        @OrNull private var next: String?

        init(_ page: CaptureListing.Page) {
            captures = page.captures.map { ListedCaptureDocument($0) }
            next = page.next
        }
    }
}
