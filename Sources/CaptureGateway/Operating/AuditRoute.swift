import CaptureModel
import CaptureStore
import Hummingbird

/// `GET /api/v1/audit`: who did what to what, latest first, for holders of tokens.
struct AuditRoute: Sendable {
    let archive: (any CaptureArchive)?
    let now: TimeSource
    let access: AccessControl

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireTokenOrSession(of: request, context)
        guard let archive else { throw APIError(.notFound, "this gateway keeps no lists") }
        let fields = FormFields(request.uri.query ?? "")
        let filter = try AuditQuery(strict: fields).filter
        let before = try AuditQuery.place(in: fields)
        let limit = try fields.pageLimit()
        // One more than asked for tells whether there are more.
        let found = try await askingStore { () async throws(StoreError) in
            try await archive.auditLog(filter, before: before, limit: limit + 1)
        }
        return try Envelope.success(Answer(found, limit: limit), context: context, now: now())
    }

    /// A page as it is answered.
    struct Answer: Encodable, Sendable {
        private let entries: [Entry]
        @OrNull private var next: String?

        init(_ found: AuditLogPage, limit: Int) {
            let shown = found.entries.prefix(limit)
            entries = shown.map { Entry($0) }
            next = found.next(after: shown).map { String($0) }
        }
    }

    /// A line of the audit.
    private struct Entry: Encodable, Sendable {
        let id: Int64
        let at: Timestamp
        let actor: String
        let action: String
        let subject: String
        let details: [String: String]

        init(_ numbered: NumberedAuditEntry) {
            let entry = numbered.entry
            (id, at, actor) = (numbered.number, entry.at, entry.actor)
            (action, subject, details) = (entry.action, entry.subject, entry.details)
        }
    }
}

extension AuditLogPage {
    /// Where the next page begins, if this one shows only its first entries; `nil` on the last one.
    func next(after shown: ArraySlice<NumberedAuditEntry>) -> Int64? {
        entries.count > shown.count ? shown.last?.number : end?.number
    }
}
