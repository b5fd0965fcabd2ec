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
        let (query, before) = (try AuditQuery(fields), fields["after"].flatMap { Int64($0) })
        let found = try await askingStore { () async throws(StoreError) in
            try await operators.archive.auditLog(query.filter, before: before, limit: AuditPage.pageSize + 1)
        }
        return PageAnswer.html(AuditPage(found: found, query: query, before: before).markup(shell))
    }
}
