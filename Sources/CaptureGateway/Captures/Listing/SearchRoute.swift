import CaptureModel
import CaptureStore
import Hummingbird

/// `GET /api/v1/search`: the captures and devices whose ids begin alike, for holders of tokens.
struct SearchRoute: Sendable {
    /// The name of the beginning in the query.
    static let idParameter = "id"

    let archive: (any CaptureArchive)?
    let now: TimeSource
    let access: AccessControl

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireTokenOrSession(of: request, context)
        guard let archive else { throw APIError(.notFound, "this gateway keeps no lists") }
        guard let prefix = FormFields(request.uri.query ?? "")[Self.idParameter].flatMap({ IDPrefix($0) }) else {
            throw .invalid(
                Self.idParameter, "must be the first \(IDPrefix.charactersMin) characters of an id, or more of them")
        }
        let found = try await askingStore { () async throws(StoreError) in
            try await archive.ids(beginningWith: prefix)
        }
        return try Envelope.success(Answer(found), context: context, now: now())
    }

    /// What was found.
    struct Answer: Encodable, Sendable {
        private let captures: [CaptureID]
        private let devices: [DeviceID]
        private let cut: Bool

        init(_ found: FoundIDs) {
            (captures, devices, cut) = (found.captures, found.devices, found.isCut)
        }
    }
}
