import CaptureModel
import CaptureQueue
import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// Gateways that hand off are not trusted, and have the store: they read and write what they like there.
@Suite(.timeLimit(.minutes(1))) struct `A login that somebody has written into the store` {
    private static let lifetime = Duration.seconds(28_800)
    private static let token = SHA256Digest.hash(Array(GatewayFixture.operatorToken.utf8))
    /// A cookie that the store has not come by.
    private static let secret = String(repeating: "5a", count: 32)

    private let sessions = MemorySessions()
    private let fixture: GatewayFixture

    init() throws { fixture = try GatewayFixture().withOperators(sessions: sessions) }

    private func key() throws -> SHA256Digest {
        try #require(SessionCookie([.cookie: "capture_session=\(Self.secret)"], for: "localhost")).key
    }

    /// Whether the cookie opens the dashboard, or lists and streams.
    private func opens(_ gateway: GatewayCaller) async throws -> Bool {
        let cookie = "capture_session=\(Self.secret)"
        let page = try await DashboardLogin.ask(.GET, "\(gateway.url)/dashboard", cookie: cookie)
        let list = try await DashboardLogin.ask(.GET, "\(gateway.url)/api/v1/captures", cookie: cookie)
        #expect(page.status == (list.status == 401 ? 303 : 200))
        return page.status == 200
    }

    /// The only login that is held.
    private func held() async throws -> (key: SHA256Digest, session: LoginSession) {
        let key = try #require(sessions.keys.first)
        return (key, try #require(try await sessions.session(key)))
    }

    @Test func `a login that was begun with a token is let in under its own key alone`() async throws {
        try await fixture.run { gateway in
            let login = try await DashboardLogin(gateway)
            let (_, session) = try await held()
            try await sessions.begin(session, as: key(), lifetime: Self.lifetime)
            #expect(try await !opens(gateway))
            #expect(try await login.get("/dashboard").status == 200)
        }
    }

    @Test(arguments: [GatewayFixture.operatorToken, GatewayFixture.readToken])
    func `a login tells nothing that makes another one`(token: String) async throws {
        try await fixture.run { gateway in
            _ = try await DashboardLogin(gateway, token: token)
            let (_, session) = try await held()
            #expect(session.proof != SHA256Digest.hash(Array(token.utf8)).bytes)
            // The token's own digest, and what else somebody may try.
            for proof in [Self.token.bytes, Array(session.proof.reversed()), [], [UInt8](repeating: 0, count: 32)] {
                let forged = LoginSession(proof: proof, end: session.end, name: "Bob")
                try await sessions.begin(forged, as: key(), lifetime: Self.lifetime)
                #expect(try await !opens(gateway))
            }
        }
    }

    /// The audit notes the name.
    @Test func `a login whose name was changed is none`() async throws {
        try await fixture.runLoggedIn { login in
            let (key, session) = try await held()
            let renamed = LoginSession(proof: session.proof, end: session.end, name: "Bob")
            try await sessions.begin(renamed, as: key, lifetime: Self.lifetime)
            #expect(try await login.get("/dashboard").status == 303)
            try await sessions.begin(session, as: key, lifetime: Self.lifetime)
            #expect(try await login.get("/dashboard").status == 200)
        }
    }

    /// Whoever has stolen the cookie would go on with it.
    @Test func `a login is over at its time, although the store still has it or says another time`() async throws {
        try await fixture.runLoggedIn { login in
            let (key, session) = try await held()
            fixture.time.advance(by: Self.lifetime - .milliseconds(1))
            #expect(try await login.get("/dashboard").status == 200)
            fixture.time.advance(by: .milliseconds(1))
            #expect(try await login.get("/dashboard").status == 303)
            let prolonged = LoginSession(
                proof: session.proof, end: session.end.advanced(by: Self.lifetime), name: session.name)
            try await sessions.begin(prolonged, as: key, lifetime: Self.lifetime)
            #expect(try await login.get("/dashboard").status == 303)
        }
    }

    /// Gateways that differ in this would not know each other's logins: computed with Python's `hmac`.
    @Test func `the proof of a login is the same at every gateway and in every release`() throws {
        let end = Timestamp(millisecondsSince1970: 1_780_000_028_800)
        let session = LoginSession(name: "Zoë | a", until: end, under: try key(), by: Self.token)
        #expect(Hex.encode(session.proof) == "7b2c864852a97a1ca438cfc2eb7dd383e068dd5dea4461ab16b480d14cb49c63")
        #expect(session.isProven(under: try key(), by: Self.token))
        #expect(!session.isProven(under: try key(), by: .hash(Array(GatewayFixture.readToken.utf8))))
    }
}
