import CaptureModel

/// Somebody at the dashboard.
struct DashboardUser: Sendable, Equatable {
    /// The name that the person gave at the login.
    let name: String
    /// Whether the token is an operator's.
    let isOperator: Bool
    /// The token by its digest.
    let token: SHA256Digest
    /// What a form of this session must carry, so that no other site's form is taken for it.
    let formToken: String

    /// The user's name in the audit: the name is the person's own word, the token's digest is not.
    var actor: String { "\(name) (dashboard, token \(token.hex.prefix(8)))" }
}
