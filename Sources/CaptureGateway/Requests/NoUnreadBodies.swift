import HTTPTypes
import Hummingbird

/// Refuses a request that only reads and has a body.
///
/// No route would ask for that body: its beginning would lie in the connection's buffers for as long as the answer
/// takes, and the connection would end with it. RFC 9110 section 9.3.1 lets a server refuse it.
struct NoUnreadBodies: RouterMiddleware {
    typealias Context = GatewayContext

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let isReading = request.method == .get || request.method == .head
        let hasBody = request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
        if isReading, hasBody { throw APIError.invalid("body", "must be empty: the request only reads") }
        return try await next(request, context)
    }
}
