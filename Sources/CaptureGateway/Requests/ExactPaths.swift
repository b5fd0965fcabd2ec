import Hummingbird

/// Refuses a path with an empty part, which the router passes over.
///
/// Otherwise `//metrics` and `/metrics/` would be `/metrics`, which a proxy's rule keeps from the outside.
struct ExactPaths: RouterMiddleware {
    typealias Context = GatewayContext

    /// Whether there is a dashboard.
    let hasPages: Bool

    /// What people type.
    private static let exempt = ["/", "/dashboard/"]

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard Self.exempt.contains(path) || !(path.contains("//") || path.hasSuffix("/")) else {
            throw APIError.unknownAddress(isPage: hasPages && Page.isAddress(path))
        }
        return try await next(request, context)
    }
}

extension APIError {
    /// There is nothing at this address.
    /// - Parameter isPage: Whether it is one for people.
    static func unknownAddress(isPage: Bool) -> APIError {
        APIError(.notFound, "there is no such \(isPage ? "page" : "route")")
    }
}
