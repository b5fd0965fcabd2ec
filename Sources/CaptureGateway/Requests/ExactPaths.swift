import Hummingbird

/// Refuses a path with an empty part, which the router passes over.
///
/// Otherwise `//metrics` and `/metrics/` would be `/metrics`, which a proxy's rule keeps from the outside.
struct ExactPaths: RouterMiddleware {
    typealias Context = GatewayContext

    /// What people type.
    private static let exempt = ["/", "/dashboard/"]

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard Self.exempt.contains(path) || !(path.contains("//") || path.hasSuffix("/")) else {
            throw APIError(.notFound, "there is no such route")
        }
        return try await next(request, context)
    }
}
