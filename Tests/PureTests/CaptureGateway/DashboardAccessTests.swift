import CaptureQueue
import CaptureStore
import HTTPTypes
import NIOHTTP1
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(2))) struct `Access to the dashboard` {
    private static let pages = Page.allCases.filter { $0.method == .get && $0 != .login && $0 != .asset }
    private static let forms = Page.allCases.filter { $0.method == .post && $0 != .logIn }

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
                let answer = try await DashboardLogin.ask(.GET, gateway.url + path, cookie: cookie)
                #expect(answer.status == 303 && answer.location == login)
                #expect(answer.text.isEmpty)
            }
        }
    }

    @Test func `a login does not stand in for an Authorization that names no known token`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let login = try await DashboardLogin.logIn(gateway, token: GatewayFixture.operatorToken)
            let (cookie, list) = (try #require(login.cookie), "\(gateway.url)/api/v1/captures")
            #expect(try await DashboardLogin.ask(.GET, list, cookie: cookie).status == 200)
            for other in ["Basic YTpi", "Bearer \(String(repeating: "a", count: 64))"] {
                let answer = try await DashboardLogin.ask(
                    .GET, list, cookie: cookie, headers: ["Authorization": other])
                #expect(answer.status == 401, "\(other)")
            }
        }
    }

    @Test(arguments: forms) func `nobody does anything without a login, a form of their own, or the right`(
        page: Page
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let (overview, address) = ("\(gateway.url)/dashboard", gateway.url + Self.path(page))
            let stranger = try await DashboardLogin.ask(.POST, address, form: [("action", "pause")])
            let login = page == .logOut ? "/dashboard/login" : "/dashboard/login?ended=1"
            #expect(stranger.status == 303 && stranger.location == login)
            let operators = try await DashboardLogin.logIn(gateway, token: GatewayFixture.operatorToken)
            let cookie = try #require(operators.cookie)
            for token in ["", "0123", String(repeating: "0", count: 64)] {
                let form = [("form_token", token), ("action", "pause")]
                let forged = try await DashboardLogin.ask(.POST, address, cookie: cookie, form: form)
                #expect(forged.status == 403)
            }
            let own = try #require(try await DashboardLogin.ask(.GET, overview, cookie: cookie).formToken)
            for origin in [
                "https://elsewhere.example", "http://elsewhere.example/127.0.0.1:\(gateway.port)", "null",
                "\(gateway.url).elsewhere.example",
            ] {
                let elsewhere = try await DashboardLogin.ask(
                    .POST, address, cookie: cookie, form: [("form_token", own)], headers: ["Origin": origin])
                #expect(elsewhere.status == 403 && elsewhere.text.contains("does not hand on Host"))
            }
            guard page != .logOut else { return }
            let reader = try #require(
                try await DashboardLogin.logIn(gateway, token: GatewayFixture.readToken).cookie)
            let readers = try #require(try await DashboardLogin.ask(.GET, overview, cookie: reader).formToken)
            #expect(readers != own)
            let refused = try await DashboardLogin.ask(.POST, address, cookie: reader, form: [("form_token", readers)])
            #expect(refused.status == 403 && refused.text.contains("read-only"))
        }
    }

    @Test func `an operator's pause is done, and noted with who did it`() async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let login = try await DashboardLogin.logIn(
                gateway, token: GatewayFixture.operatorToken, name: "Alice\u{7}\n <b>")
            let cookie = try #require(login.cookie)
            let overview = "\(gateway.url)/dashboard"
            let token = try #require(try await DashboardLogin.ask(.GET, overview, cookie: cookie).formToken)
            for _ in 0..<2 {
                let answer = try await DashboardLogin.ask(
                    .POST, "\(gateway.url)/dashboard/queue", cookie: cookie,
                    form: [("form_token", token), ("action", "pause")], headers: ["Origin": gateway.url])
                #expect(answer.status == 303 && answer.location == "/dashboard")
            }
            let after = try await DashboardLogin.ask(.GET, overview, cookie: cookie)
            #expect(after.text.contains("The queue is paused"))
        }
        #expect(try await fixture.queue.load().isPaused)
        let trail = try await fixture.store.auditTrail(of: "queue", limit: 5)
        #expect(trail.map(\.action) == ["queue.pause"] && trail[0].actor.hasPrefix("Alice <b> (dashboard, token "))
    }
}
