import CaptureModel
import CaptureStore
import Hummingbird

/// `GET /api/v1/captures`: captures that pass a filter, page by page, for holders of tokens ([R-ST-2]).
struct ListingRoute: Sendable {
    let access: AccessControl
    let listing: CaptureListing?
    let now: TimeSource

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await access.requireTokenOrSession(of: request, context)
        guard let listing else { throw APIError(.notFound, "this gateway keeps no lists") }
        let page = try await listing.page(ListingQuery(only: FormFields(request.uri.query ?? "")))
        return try Envelope.success(
            Answer(captures: page.captures.map { Line(capture: $0) }, next: page.next), context: context, now: now())
    }

    private struct Answer: Encodable, Sendable {
        var captures: [Line]
        var next: String?

        enum CodingKeys: CodingKey {
            case captures, next
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(captures, forKey: .captures)
            try container.encode(next, forKey: .next)
        }
    }

    /// A capture as JSON; members without a value are `null`.
    private struct Line: Encodable {
        let capture: ListedCapture

        enum CodingKeys: String, CodingKey {
            case captureID = "capture_id"
            case state = "status"
            case device = "device_id"
            case reason, explanation, fault, confidence, counter, attempts, redriven
            case receivedAt = "received_at"
            case verifiedAt = "verified_at"
            case compromisedSince = "compromised_since"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(capture.id.description, forKey: .captureID)
            try container.encode(capture.device.description, forKey: .device)
            try container.encode(capture.state, forKey: .state)
            try container.encode(capture.reason, forKey: .reason)
            try container.encode(capture.reason?.explanation(redriven: capture.redriven), forKey: .explanation)
            try container.encode(capture.fault, forKey: .fault)
            try container.encode(capture.result?.confidence, forKey: .confidence)
            try container.encode(capture.result?.counter, forKey: .counter)
            try container.encode(capture.attempts, forKey: .attempts)
            try container.encode(capture.redriven, forKey: .redriven)
            try container.encode(capture.receivedAt.rfc3339, forKey: .receivedAt)
            try container.encode(capture.result?.verifiedAt.rfc3339, forKey: .verifiedAt)
            try container.encode(capture.result?.compromisedSince?.rfc3339, forKey: .compromisedSince)
        }
    }
}
