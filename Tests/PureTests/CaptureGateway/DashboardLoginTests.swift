import CaptureModel
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Logins at the dashboard", .timeLimit(.minutes(2)))
struct DashboardLoginTests {
    private func status(_ gateway: GatewayCaller, token: String) async throws -> Int {
        try await DashboardLogin.logIn(gateway, token: token).status
    }

    @Test func `a login sets a cookie that no script reads and no other site sends, and no page has a script in it`()
        async throws
    {
        let sessions = MemorySessions()
        try await GatewayFixture().withOperators(sessions: sessions).run { gateway in
            #expect(try await status(gateway, token: "wrong") == 403)
            let answer = try await DashboardLogin.logIn(
                gateway, token: GatewayFixture.operatorToken, name: "Alice\u{7}\n <b>")
            let field = try #require(answer.headers.first(name: "Set-Cookie"))
            #expect(answer.status == 303)
            for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=28800"] { #expect(field.contains(part)) }
            // Over the loopback there is no TLS.
            #expect(!field.contains("Secure"))
            let cookie = try #require(answer.cookie)
            // Nobody gets in with what the store knows.
            #expect(sessions.keys.count == 1 && !cookie.contains(sessions.keys[0].hex))
            let overview = "\(gateway.url)/dashboard"
            let page = try await DashboardLogin.ask(.GET, overview, cookie: "other=1; \(cookie)")
            #expect(page.status == 200 && page.text.contains("Alice &lt;b&gt;"))
            let policy = try #require(page.headers.first(name: "Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
            #expect(!page.text.contains("<style") && !page.text.contains("style=") && !page.text.contains("<script>"))
            #expect(page.headers.first(name: "Cache-Control") == "no-store")
            let token = try #require(page.formToken)
            let left = try await DashboardLogin.ask(
                .POST, "\(overview)/logout", cookie: cookie, form: [("form_token", token)])
            #expect(left.headers.first(name: "Set-Cookie")?.contains("Max-Age=0") == true && sessions.keys.isEmpty)
            #expect(try await DashboardLogin.ask(.GET, overview, cookie: cookie).status == 303)
        }
    }

    @Test func `a session ends when its token is taken out of the configuration`() async throws {
        let sessions = MemorySessions()
        let fixture = try GatewayFixture().withOperators(sessions: sessions)
        let (cookies, continuation) = AsyncStream.makeStream(of: String.self)
        try await fixture.run { gateway in
            let login = try await DashboardLogin.logIn(gateway, token: GatewayFixture.operatorToken)
            continuation.yield(try #require(login.cookie))
        }
        let cookie = try #require(await cookies.first { _ in true })
        var changed = fixture
        changed.configuration.access.operatorTokenDigests = [.hash([1])]
        try await changed.run { gateway in
            let page = try await DashboardLogin.ask(.GET, "\(gateway.url)/dashboard", cookie: cookie)
            #expect(page.status == 303)
            let list = try await DashboardLogin.ask(.GET, "\(gateway.url)/api/v1/captures", cookie: cookie)
            #expect(list.status == 401)
        }
    }

    @Test func `without a token in the configuration all is closed`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.access.readTokenDigests = []
        fixture.configuration.access.operatorTokenDigests = []
        try await fixture.run { gateway in
            let login = try await DashboardLogin.ask(.GET, "\(gateway.url)/dashboard/login")
            #expect(login.text.contains("The dashboard is closed") && !login.text.contains("<form"))
            for token in ["", GatewayFixture.operatorToken] {
                #expect(try await status(gateway, token: token) == 403)
            }
            for path in ["/api/v1/captures", "/api/v1/events", "/api/v1/queue"] {
                #expect(try await gateway.get(path, token: GatewayFixture.operatorToken).status == 401)
            }
        }
    }

    @Test func `tokens cannot be tried without an end`() async throws {
        try await GatewayFixture().withOperators().run { gateway async throws in
            for _ in 0..<10 { #expect(try await status(gateway, token: "guess") == 403) }
            #expect(try await status(gateway, token: GatewayFixture.operatorToken) == 429)
        }
    }

    @Test func `how often tokens may be tried is configuration`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.rates.loginLimit = 1
        try await fixture.run { gateway async throws in
            #expect(try await status(gateway, token: "guess") == 403)
            #expect(try await status(gateway, token: GatewayFixture.operatorToken) == 429)
        }
    }
}
