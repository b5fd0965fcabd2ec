import CaptureModel
import CaptureQueue
import HTTPTypes
import Hummingbird

/// Lets people in by a token, and knows them again by a cookie.
struct Sessions: Sendable {
    private let store: any SessionStore
    private let tokens: ReaderTokens
    private let lifetime: Duration
    private let now: TimeSource
    private let random: @Sendable () -> UInt64

    init(
        store: any SessionStore, access: GatewayConfiguration.Access, now: @escaping TimeSource,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.store = store
        // Tokens for evidence belong to servers, which have no business at the dashboard: they are unknown here.
        tokens = ReaderTokens(
            readers: access.readTokenDigests, evidenceReaders: [], operators: access.operatorTokenDigests)
        lifetime = access.sessionLifetime
        self.now = now
        self.random = random
    }

    /// Whether any token is configured that lets somebody in.
    var isOpen: Bool { !tokens.readers.isEmpty || !tokens.operators.isEmpty }

    /// Begins a session; `nil` when the token is not known.
    /// - Returns: The field `Set-Cookie`.
    func logIn(token: String, name: String, authority: String?) async throws(APIError) -> String? {
        guard tokens.reader(bearing: token) != nil else { return nil }
        let cookie = SessionCookie(for: authority, random: RandomSource(random: random))
        let session = LoginSession(
            name: name, until: now().advanced(by: lifetime), under: cookie.key, by: .hash(Array(token.utf8)))
        try await askingQueue { () async throws(QueueError) in
            try await store.begin(session, as: cookie.key, lifetime: lifetime)
        }
        return cookie.field(lifetime: lifetime)
    }

    /// Who sent a request; `nil` without a session that is not over and whose token is still known.
    func user(of request: Request) async throws(APIError) -> DashboardUser? {
        guard let cookie = SessionCookie(request.headers, for: request.head.authority) else { return nil }
        let session = try await askingQueue { () async throws(QueueError) in try await store.session(cookie.key) }
        // The store forgets a session at its end, unless somebody has told it otherwise.
        guard let session, now() < session.end, let token = token(of: session, under: cookie.key),
            let reader = tokens.reader(of: token)
        else { return nil }
        return DashboardUser(
            name: session.name, isOperator: reader == .operatorToken, token: token, formToken: cookie.formToken)
    }

    /// The known token with which a session was begun; tries all of them, whichever it is.
    private func token(of session: LoginSession, under key: SHA256Digest) -> SHA256Digest? {
        var found: SHA256Digest?
        for token in tokens.operators + tokens.readers where session.isProven(under: key, by: token) { found = token }
        return found
    }

    /// Whether the browser may drop the cookie of its login.
    ///
    /// By the browser's own word the login came over plain HTTP, and the cookie is for TLS.
    static func mayLoseCookie(_ request: Request) -> Bool {
        request.headers[.origin]?.hasPrefix("http://") == true && !SessionCookie.isLoopback(request.head.authority)
    }

    /// Ends the session of a request.
    func logOut(_ request: Request) async throws(APIError) {
        guard let cookie = SessionCookie(request.headers, for: request.head.authority) else { return }
        try await askingQueue { () async throws(QueueError) in try await store.end(cookie.key) }
    }

    /// Refuses a form that another site may have made: it carries the session's token, and its origin is this one.
    static func requireOwnForm(_ form: FormFields, of user: DashboardUser, _ request: Request) throws(APIError) {
        try requireOwnOrigin(request)
        guard let token = form["form_token"], ReaderTokens.isSame(token, user.formToken) else {
            throw APIError(.forbidden, "the form is not of this session: load the page again")
        }
    }

    /// Refuses a request that a browser says was made by another site's page.
    static func requireOwnOrigin(_ request: Request) throws(APIError) {
        guard let origin = request.headers[.origin] else { return }
        guard let host = request.head.authority, ["http://\(host)", "https://\(host)"].contains(origin) else {
            throw APIError(.forbidden, "the form was sent by another site, or the proxy in front does not hand on Host")
        }
    }
}
