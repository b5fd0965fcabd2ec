import HTTPTypes
import Hummingbird

/// A route by which requests are told apart: an operation of the API, or a page.
protocol GatewayRoute: CaseIterable, Sendable {
    /// Path template.
    var template: StaticString { get }
    /// HTTP method.
    var method: HTTPRequest.Method { get }
}

extension GatewayRoute {
    /// The one that a request was routed to; `HEAD` is `GET` without the body.
    static func of(_ request: Request, _ context: GatewayContext) -> Self? {
        let method = request.method == .head ? .get : request.method
        return allCases.first { $0.method == method && $0.template.description == context.endpointPath }
    }

    /// The methods that a path exists for; empty when it does not.
    static func methods(at path: String) -> [HTTPRequest.Method] {
        routes(at: path).flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }

    /// A path without parameters goes before one with.
    private static func routes(at path: String) -> [Self] {
        let exact = allCases.filter { $0.template.description == path }
        if !exact.isEmpty { return exact }
        let segments = path.split(separator: "/")
        return allCases.filter { route in
            let template = route.template.description.split(separator: "/")
            return template.count == segments.count
                && zip(template, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
    }
}
