import HTTPTypes

/// Every route of the dashboard; people's counterpart to ``Operation``.
enum Page: String, CaseIterable, Sendable, GatewayRoute {
    case overview
    case captures
    case capture
    case photo
    case depth
    case evidence
    case rejections
    case replays
    case devices
    case device
    case dead
    case audit
    case login
    case asset
    case logIn
    case logOut
    case actOnQueue
    case actOnDead
    case revoke

    /// Path template; the same for the router and the metrics.
    var template: StaticString {
        switch self {
        case .overview: "/dashboard"
        case .captures: "/dashboard/captures"
        case .capture: "/dashboard/captures/{id}"
        case .photo: "/dashboard/captures/{id}/photo"
        case .depth: "/dashboard/captures/{id}/depth"
        case .evidence: "/dashboard/captures/{id}/evidence"
        case .rejections: "/dashboard/rejections"
        case .replays: "/dashboard/replays"
        case .devices: "/dashboard/devices"
        case .device: "/dashboard/devices/{id}"
        case .dead, .actOnDead: "/dashboard/dead"
        case .audit: "/dashboard/audit"
        case .login, .logIn: "/dashboard/login"
        case .asset: "/dashboard/static/{name}"
        case .logOut: "/dashboard/logout"
        case .actOnQueue: "/dashboard/queue"
        case .revoke: "/dashboard/devices/{id}/revoke"
        }
    }

    /// The path of a page without a parameter.
    var address: String { template.description }

    /// The path of the page of one thing.
    /// - Parameter name: The value of the template's parameter.
    func address(_ name: some CustomStringConvertible) -> String {
        let segments = template.description.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { $0.hasPrefix("{") ? name.description : String($0) }.joined(separator: "/")
    }

    /// HTTP method: whatever changes something is `POST`.
    var method: HTTPRequest.Method {
        switch self {
        case .logIn, .logOut, .actOnQueue, .actOnDead, .revoke: .post
        case .overview, .captures, .capture, .photo, .depth, .evidence, .rejections, .replays, .devices, .device,
            .dead, .audit, .login, .asset:
            .get
        }
    }

    /// Whether a path is this page's, with any value of the template's parameter.
    func hasPath(_ path: String) -> Bool {
        let (own, given) = (template.description.split(separator: "/"), path.split(separator: "/"))
        return own.count == given.count && zip(own, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// Whether a path belongs to the dashboard, even if it has no page.
    static func isAddress(_ path: String) -> Bool {
        let root = Page.overview.address
        return path == root || path.hasPrefix("\(root)/")
    }
}
