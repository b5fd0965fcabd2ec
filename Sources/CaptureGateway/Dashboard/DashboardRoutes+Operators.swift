import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Hummingbird

/// What the pages of operators' work read: what was given up, and what was done.
extension DashboardRoutes {
    func dead(_ request: Request, _ shell: Shell) async throws(APIError) -> Response {
        let word = FormFields(request.uri.query ?? "")[DeadPage.orderField] ?? DeadPage.Order.oldest.rawValue
        guard let order = DeadPage.Order(word: word) else {
            throw .invalid(DeadPage.orderField, "must be oldest or newest")
        }
        let queue = operators.actions.queue
        let survey = try await askingOperatedQueue { () async throws(QueueError) -> DeadLetterSurvey in
            switch order {
            case .oldest: return try await DeadLetterSurvey.take(of: queue)
            case .newest: return try await DeadLetterSurvey.takeNewest(of: queue)
            }
        }
        return PageAnswer.html(DeadPage(survey: survey, order: order).markup(shell))
    }

    func audit(_ request: Request, _ shell: Shell) async throws(APIError) -> Response {
        let fields = FormFields(request.uri.query ?? "")
        let query: AuditQuery
        let before: Int64?
        do throws(APIError) {
            query = try AuditQuery(fields)
            before = try AuditQuery.place(in: fields)
        } catch {
            // The form once more, as it was sent: its other filter may be good.
            var page = AuditPage(found: AuditLogPage(entries: [], end: nil), query: AuditQuery(), before: nil)
            page.refused = RefusedForm(form: fields, error: error)
            return PageAnswer.html(page.markup(shell), status: error.code.status)
        }
        let found = try await askingStore { () async throws(StoreError) in
            try await operators.archive.auditLog(query.filter, before: before, limit: AuditPage.pageSize + 1)
        }
        return PageAnswer.html(AuditPage(found: found, query: query, before: before).markup(shell))
    }
}
