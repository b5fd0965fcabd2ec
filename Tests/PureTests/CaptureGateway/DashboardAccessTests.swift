import AsyncHTTPClient
import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOHTTP1
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(2))) struct `Access to the dashboard` {
    /// One that goes where it is sent by itself would hide that it was sent.
    private static let http = HTTPClient(
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))

    private static let pages = Page.allCases.filter { $0.method == .get && $0 != .login && $0 != .asset }
    private static let forms = Page.allCases.filter { $0.method == .post && $0 != .logIn }

    private struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let text: String

        var cookie: String? { headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) } }
    }

    private func ask(
        _ gateway: GatewayCaller, _ method: NIOHTTP1.HTTPMethod, _ path: String, cookie: String? = nil,
        form: [(String, String)]? = nil, origin: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: gateway.url + path)
        request.method = method
        if let cookie { request.headers.add(name: "Cookie", value: "other=1; \(cookie)") }
        if let origin { request.headers.add(name: "Origin", value: origin) }
        if let form {
            let text = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: text))
        }
        let response = try await Self.http.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 4 << 20)
        try DescribedAnswers.check(
            method, path, status: Int(response.status.code), headers: response.headers,
            body: Array(body.readableBytesView))
        return Answer(status: Int(response.status.code), headers: response.headers, text: String(buffer: body))
    }

    private func logIn(_ gateway: GatewayCaller, token: String) async throws -> Answer {
        try await ask(
            gateway, .POST, "/dashboard/login", form: [("token", token), ("name", "Alice\u{7}\n <b>")])
    }

    private static func path(_ page: Page) -> String {
        page.template.description
            .replacing("{id}", with: "00000000-0000-4000-8000-000000000001").replacing("{name}", with: "x")
    }

    @Test(arguments: pages) func `nobody sees a page without a login`(page: Page) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            for cookie in [nil, "capture_session=", "capture_session=\(String(repeating: "a", count: 64))"] {
                let path = Self.path(page)
                let login =
                    page == .overview ? "/dashboard/login" : "/dashboard/login?next=\(PercentEncoding.encode(path))"
                let answer = try await ask(gateway, .GET, path, cookie: cookie)
                #expect(answer.status == 303 && answer.headers.first(name: "Location") == login)
                #expect(answer.text.isEmpty)
            }
        }
    }

    @Test(arguments: forms) func `nobody does anything without a login, a form of their own, or the right`(
        page: Page
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let stranger = try await ask(gateway, .POST, Self.path(page), form: [("action", "pause")])
            let login = page == .logOut ? "/dashboard/login" : "/dashboard/login?ended=1"
            #expect(stranger.status == 303 && stranger.headers.first(name: "Location") == login)
            let cookie = try #require(try await logIn(gateway, token: GatewayFixture.operatorToken).cookie)
            for token in ["", "0123", String(repeating: "0", count: 64)] {
                let forged = try await ask(
                    gateway, .POST, Self.path(page), cookie: cookie, form: [("form_token", token), ("action", "pause")])
                #expect(forged.status == 403)
            }
            let overview = try await ask(gateway, .GET, "/dashboard", cookie: cookie)
            let own = try #require(overview.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)).1
            for origin in ["https://elsewhere.example", "http://elsewhere.example/127.0.0.1:\(gateway.port)", "null"] {
                let elsewhere = try await ask(
                    gateway, .POST, Self.path(page), cookie: cookie, form: [("form_token", String(own))],
                    origin: origin)
                #expect(elsewhere.status == 403 && elsewhere.text.contains("does not hand on Host"))
            }
            guard page != .logOut else { return }
            let reader = try #require(try await logIn(gateway, token: GatewayFixture.readToken).cookie)
            let readersPage = try await ask(gateway, .GET, "/dashboard", cookie: reader)
            let readers = try #require(readersPage.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)).1
            #expect(readers != own)
            let refused = try await ask(
                gateway, .POST, Self.path(page), cookie: reader, form: [("form_token", String(readers))])
            #expect(refused.status == 403 && refused.text.contains("read-only"))
        }
    }

    @Test func `a login sets a cookie that no script reads and no other site sends, and no page has a script in it`()
        async throws
    {
        let sessions = MemorySessions()
        try await GatewayFixture().withOperators(sessions: sessions).run { gateway in
            #expect(try await logIn(gateway, token: "wrong").status == 403)
            let answer = try await logIn(gateway, token: GatewayFixture.operatorToken)
            let field = try #require(answer.headers.first(name: "Set-Cookie"))
            #expect(answer.status == 303)
            for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=28800"] { #expect(field.contains(part)) }
            // Over the loopback there is no TLS.
            #expect(!field.contains("Secure"))
            let cookie = try #require(answer.cookie)
            // Nobody gets in with what the store knows.
            #expect(sessions.keys.count == 1 && !cookie.contains(sessions.keys[0].hex))
            let page = try await ask(gateway, .GET, "/dashboard", cookie: cookie)
            #expect(page.status == 200 && page.text.contains("Alice &lt;b&gt;"))
            let policy = try #require(page.headers.first(name: "Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
            #expect(!page.text.contains("<style") && !page.text.contains("style=") && !page.text.contains("<script>"))
            #expect(page.headers.first(name: "Cache-Control") == "no-store")
            let token = try #require(page.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)).1
            let left = try await ask(
                gateway, .POST, "/dashboard/logout", cookie: cookie, form: [("form_token", String(token))])
            #expect(left.headers.first(name: "Set-Cookie")?.contains("Max-Age=0") == true && sessions.keys.isEmpty)
            #expect(try await ask(gateway, .GET, "/dashboard", cookie: cookie).status == 303)
        }
    }

    @Test func `a session ends when its token is taken out of the configuration`() async throws {
        let sessions = MemorySessions()
        let fixture = try GatewayFixture().withOperators(sessions: sessions)
        let (cookies, continuation) = AsyncStream.makeStream(of: String.self)
        try await fixture.run { gateway in
            continuation.yield(try #require(try await logIn(gateway, token: GatewayFixture.operatorToken).cookie))
        }
        let cookie = try #require(await cookies.first { _ in true })
        var changed = fixture
        changed.configuration.access.operatorTokenDigests = [.hash([1])]
        try await changed.run { gateway in
            #expect(try await ask(gateway, .GET, "/dashboard", cookie: cookie).status == 303)
            let answer = try await ask(gateway, .GET, "/api/v1/captures", cookie: cookie)
            #expect(answer.status == 401)
        }
    }

    @Test func `without a token in the configuration all is closed`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.access.readTokenDigests = []
        fixture.configuration.access.operatorTokenDigests = []
        try await fixture.run { gateway in
            let login = try await ask(gateway, .GET, "/dashboard/login")
            #expect(login.text.contains("The dashboard is closed") && !login.text.contains("<form"))
            for token in ["", GatewayFixture.operatorToken] {
                #expect(try await logIn(gateway, token: token).status == 403)
            }
            for path in ["/api/v1/captures", "/api/v1/events", "/api/v1/queue"] {
                #expect(try await gateway.get(path, token: GatewayFixture.operatorToken).status == 401)
            }
        }
    }

    @Test func `tokens cannot be tried without an end`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            for _ in 0..<10 {
                let guess = try await logIn(gateway, token: "guess")
                #expect(guess.status == 403)
            }
            let late = try await logIn(gateway, token: GatewayFixture.operatorToken)
            #expect(late.status == 429)
        }
    }

    @Test func `how often tokens may be tried is configuration`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.rates.loginLimit = 1
        try await fixture.run { gateway async throws in
            #expect(try await logIn(gateway, token: "guess").status == 403)
            #expect(try await logIn(gateway, token: GatewayFixture.operatorToken).status == 429)
        }
    }

    @Test func `an operator's pause is done, and noted with who did it`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let cookie = try #require(try await logIn(gateway, token: GatewayFixture.operatorToken).cookie)
            let page = try await ask(gateway, .GET, "/dashboard", cookie: cookie)
            let token = String(try #require(page.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)).1)
            for _ in 0..<2 {
                let answer = try await ask(
                    gateway, .POST, "/dashboard/queue", cookie: cookie,
                    form: [("form_token", token), ("action", "pause")], origin: gateway.url)
                #expect(answer.status == 303 && answer.headers.first(name: "Location") == "/dashboard")
            }
            #expect(try await ask(gateway, .GET, "/dashboard", cookie: cookie).text.contains("The queue is paused"))
        }
        #expect(try await fixture.queue.load().isPaused)
        let trail = try await fixture.store.auditTrail(of: "queue", limit: 5)
        #expect(trail.map(\.action) == ["queue.pause"] && trail[0].actor.hasPrefix("Alice <b> (dashboard, token "))
    }

    @Test(arguments: ["discard-all", "redrive-all", "discard-group", "redrive-group"])
    func `a button for all letters or for a group acts on those that its page counted`(action: String) async throws {
        let fixture = try GatewayFixture().withOperators()
        let counted = try await fixture.queue.bury(["refused", "odd"], seed: 1)
        try await fixture.run { gateway in
            let cookie = try #require(try await logIn(gateway, token: GatewayFixture.operatorToken).cookie)
            let page = try await ask(gateway, .GET, "/dashboard/dead", cookie: cookie)
            let token = String(try #require(page.text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/)).1)
            let ofGroup = /<bdi>refused<\/bdi>.*?name="group" value="(\w{64})".*?name="until" value="([^"]+)"/
            let group = try #require(page.text.firstMatch(of: ofGroup))
            let all = try #require(page.text.firstMatch(of: /name="until" value="([^"]+)"/))
            let until = String(action.hasSuffix("group") ? group.2 : all.1)
            fixture.time.advance(by: .seconds(1))
            let later = try await fixture.queue.bury(["refused", "odd"], seed: 2)

            let form = [
                ("form_token", token), ("action", action), ("group", String(group.1)), ("confirmed", "1"),
            ]
            for wrong in ["", "x"] {
                let refused = try await ask(
                    gateway, .POST, "/dashboard/dead", cookie: cookie, form: form + [("until", wrong)])
                #expect(refused.status == 400)
            }
            #expect(try await fixture.queue.load().deadLetters == 4)
            let done = try await ask(
                gateway, .POST, "/dashboard/dead", cookie: cookie, form: form + [("until", until)])
            #expect(done.status == 303)
            let left = try await fixture.queue.deadLetters(after: nil, limit: 10).letters.map(\.id)
            #expect(Set(left) == Set(action.hasSuffix("group") ? [counted[1]] + later : later))
            let state = try await fixture.queue.status(of: [counted[0]])[0]?.state
            let expected: CaptureState? = action.hasPrefix("redrive") ? .queued : nil
            #expect(state == expected)
        }
    }

    @Test func `the link of a reason leads to its captures, given up or not`() async throws {
        for reason in Reason.allCases {
            let isOfDeadLetters = Reason.ofDeadLetters.contains(reason)
            #expect(Wording.address(of: reason).contains("state=failed") == isOfDeadLetters)
        }
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.run { gateway in
            let cookie = try #require(try await logIn(gateway, token: GatewayFixture.operatorToken).cookie)
            for (reason, isListed) in [(Reason.attemptsExhausted, true), (.bundleMissing, false)] {
                let page = try await ask(gateway, .GET, Wording.address(of: reason), cookie: cookie)
                #expect(page.status == 200 && page.text.contains("\(buried[0])") == isListed)
            }
        }
    }
}
