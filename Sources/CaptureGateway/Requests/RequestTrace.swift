import HTTPTypes
import Hummingbird
import Tracing

/// Makes every request a span of its client's trace, or of a new one; whatever is logged and
/// queued for it carries it on.
///
/// Hummingbird's own middleware would record paths, queries and addresses, which do not belong into traces here.
struct RequestTrace: RouterMiddleware {
    typealias Context = GatewayContext

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var parent = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: Headers())
        let span = InstrumentationSystem.tracer.startSpan(
            "\(request.method.rawValue) unknown", context: parent, ofKind: .server)
        defer { span.end() }
        let response = try await InstrumentationContext.withValue(span.context) { try await next(request, context) }
        if let operation = Operation.of(request, context) {
            span.operationName = "\(operation.method.rawValue) \(operation.path)"
        } else if let page = Page.of(request, context) {
            span.operationName = "\(request.method.rawValue) \(page.template)"
        }
        span.attributes["request_id"] = context.requestID
        span.attributes["http.response.status_code"] = response.status.code
        if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
        return response
    }

    private struct Headers: Extractor {
        func extract(key: String, from headers: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { headers[$0] }
        }
    }
}
