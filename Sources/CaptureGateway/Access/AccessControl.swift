import CaptureModel
import Hummingbird

/// Decides who asks to read: a token's holder or a device.
struct AccessControl: Sendable {
    private let tokens: ReaderTokens
    private let guesses: TokenGuesses
    private let authenticator: DeviceAuthenticator
    private let sessions: Sessions?

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        let access = configuration.access
        tokens = ReaderTokens(
            readers: access.readTokenDigests, evidenceReaders: access.evidenceTokenDigests,
            operators: access.operatorTokenDigests)
        guesses = TokenGuesses(rates: configuration.rates, dependencies: dependencies)
        authenticator = DeviceAuthenticator(configuration: configuration, dependencies: dependencies)
        sessions = dependencies.operators.map {
            Sessions(store: $0.sessions, access: access, now: dependencies.now, random: dependencies.random)
        }
    }

    /// Who asks, as a request's head tells it.
    enum Asker: Sendable {
        /// Whoever holds a token.
        case holder(Reader)
        /// A device, if its signature is over the body.
        case signer(DeviceAuthenticator.Claim)
    }

    /// Who asks; throws `UNAUTHORIZED` for unknown credentials before anything of a body is read.
    func asker(of request: Request, _ context: GatewayContext) async throws(APIError) -> Asker {
        if let holder = try await holder(of: request, context) { return .holder(holder) }
        guard request.headers[.deviceID] != nil, request.headers[.authorization] == nil else {
            throw Self.unauthorized("a known token or a device's signature is needed")
        }
        return .signer(try await authenticator.claim(in: request.headers))
    }

    /// The reader behind a request whose body has come.
    func reader(_ asker: Asker, body: [UInt8]) async throws(APIError) -> Reader {
        switch asker {
        case .holder(let reader): return reader
        case .signer(let claim):
            try await authenticator.check(claim, body: body)
            return .device(claim.device.id, key: claim.device.keyID)
        }
    }

    /// The reader behind a request without a body.
    func reader(of request: Request, _ context: GatewayContext) async throws(APIError) -> Reader {
        try await reader(asker(of: request, context), body: [])
    }

    /// Lets only holders of tokens pass: what is asked for belongs to no device.
    func requireToken(of request: Request, _ context: GatewayContext) async throws(APIError) {
        if try await holder(of: request, context) != nil { return }
        if request.headers[.deviceID] != nil, request.headers[.authorization] == nil {
            throw APIError(.forbidden, "devices may not ask for this")
        }
        throw Self.unauthorized("a known token is needed")
    }

    /// Lets holders of tokens pass, and people who have logged in at the dashboard.
    ///
    /// For what only reads: a request that changes something must show that its form is the session's.
    func requireTokenOrSession(of request: Request, _ context: GatewayContext) async throws(APIError) {
        if try await hasSession(request) { return }
        try await requireToken(of: request, context)
    }

    /// Lets a reader who was let in before pass again.
    ///
    /// Throws when the token is no longer known, the session is over or the device is revoked.
    ///
    /// The token was no guess, so that guesses by others from the same address do not block it.
    func require(_ reader: Reader, of request: Request) async throws(APIError) {
        if reader.isDevice {
            _ = try await authenticator.registered(request.headers[.deviceID])
            return
        }
        if let token = ReaderTokens.token(in: request.headers), tokens.reader(bearing: token) != nil { return }
        guard try await hasSession(request) else { throw Self.unauthorized("the token or the login is over") }
    }

    /// Lets only holders of operators' tokens pass; tells under what name the audit knows them.
    func requireOperator(of request: Request, _ context: GatewayContext) async throws(APIError) -> String {
        try await requireToken(of: request, context)
        guard let token = ReaderTokens.token(in: request.headers), tokens.reader(bearing: token) == .operatorToken
        else {
            throw APIError(.forbidden, "an operator's token is needed")
        }
        return "operator \(Self.mark(of: token))"
    }

    /// Under what name the log knows a reader; `nil` of a device, which reads what is its own.
    func name(of reader: Reader, _ request: Request) -> String? {
        guard !reader.isDevice, let token = ReaderTokens.token(in: request.headers) else { return nil }
        return "\(reader == .operatorToken ? "operator" : "token") \(Self.mark(of: token))"
    }

    /// The beginning of a token's digest: enough to tell tokens apart, and nothing to guess one by.
    private static func mark(of token: String) -> String { String(SHA256Digest.hash(Array(token.utf8)).hex.prefix(8)) }

    /// Who holds the token that a request bears; `nil` when it bears none.
    private func holder(of request: Request, _ context: GatewayContext) async throws(APIError) -> Reader? {
        guard let token = ReaderTokens.token(in: request.headers) else { return nil }
        let (client, digest) = (context.clientAddress, SHA256Digest.hash(Array(token.utf8)))
        try guesses.admit(client, digest)
        if let holder = tokens.reader(of: digest) {
            guesses.noteKnown(client, digest)
            return holder
        }
        try await guesses.note(client)
        throw Self.unauthorized("the token is not known")
    }

    /// Whether the request has no credentials but the login of somebody at the dashboard.
    func hasSession(_ request: Request) async throws(APIError) -> Bool {
        guard request.headers[.authorization] == nil, request.headers[.deviceID] == nil, let sessions else {
            return false
        }
        return try await sessions.user(of: request) != nil
    }

    /// The message asks only for credentials that the route takes.
    private static func unauthorized(_ message: String) -> APIError { APIError(.unauthorized, message) }
}
