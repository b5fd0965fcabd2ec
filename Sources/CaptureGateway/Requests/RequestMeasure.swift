import Hummingbird
import Observability

/// Counts answered requests by route and status, and how long the answer took, without the time for which its caller had
/// asked to be held back (``HeldTime``).
struct RequestMeasure: RouterMiddleware {
    typealias Context = GatewayContext

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        let response = try await next(request, context)
        let took = max(.zero, start.duration(to: clock.now) - context.heldBack.total)
        let operation = Operation.of(request, context)
        // A path that nobody routed must not become a label.
        CaptureMetrics.request(
            route: operation?.template ?? Page.of(request, context)?.template ?? "unknown",
            status: response.status.code, took: took)
        return response
    }
}
