import CaptureQueue
import NIOHTTP1
import PercentEncoding
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The way back after a login` {
    private static let asked = "/dashboard/captures?state=failed"

    private static func logIn(
        _ gateway: GatewayCaller, token: String = GatewayFixture.operatorToken, next: String,
        headers: HTTPHeaders = [:]
    ) async throws -> DashboardLogin.Answer {
        try await DashboardLogin.ask(
            .POST, "\(gateway.url)/dashboard/login",
            form: [("token", token), ("name", " alice\u{202E} "), ("next", next)], headers: headers)
    }

    @Test(arguments: [
        "/dashboard", "/dashboard?x=1", asked, "/dashboard/dead", "/dashboard/captures?q=a%20b//c",
        "/dashboard/devices/6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d?preview=1",
    ]) func `the way back after a login is to a page of the dashboard`(address: String) {
        #expect(Destination(address)?.address == address)
    }

    @Test(arguments: [
        "", "/", "dashboard", "/dashboards", "//elsewhere.example", "//elsewhere.example/dashboard/",
        "https://elsewhere.example/dashboard/", "javascript:alert(1)", "/\\elsewhere.example", "/dashboard\\x",
        "/dashboard//elsewhere.example", "/dashboard/../api/v1/queue", "/dashboard/%2e%2e/api", "/dashboard/captures#x",
        "/dashboard/captures?q=\\", "/dashboard/captures?q=a\r\nSet-Cookie:x", "/dashboard/captures?q=a b",
        "/dashboard/captures?q=ü", "/dashboard/login?next=/dashboard/audit", "/dashboard/login/",
        "/dashboard/logout", "/dashboard/queue", "/dashboard/devices/1/revoke", "/dashboard/nothing",
        "/dashboard/captures?q=\(String(repeating: "a", count: 1024))",
    ]) func `the way back after a login is to nowhere else`(address: String) async throws {
        #expect(Destination(address) == nil)
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await Self.logIn(gateway, next: address)
            #expect(answer.status == 303 && answer.location == "/dashboard")
        }
    }

    @Test func `the way back after a login is kept with the name while the token is wrong`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let led = try await DashboardLogin.ask(.GET, gateway.url + Self.asked)
            #expect(led.status == 303 && led.location == "/dashboard/login?next=\(PercentEncoding.encode(Self.asked))")
            let login = try await DashboardLogin.ask(.GET, gateway.url + (led.location ?? ""))
            let next = "name=\"next\" value=\"\(Self.asked)\""
            #expect(login.status == 200 && login.text.contains(next))
            #expect(login.text.contains("the page that you asked for follows"))
            let wrong = try await Self.logIn(gateway, token: "guess", next: Self.asked)
            #expect(wrong.status == 403 && wrong.text.contains(next) && !wrong.text.contains("guess"))
            #expect(wrong.text.contains("This token opens no dashboard.") && wrong.text.contains(#"value="alice""#))
            let right = try await Self.logIn(gateway, next: Self.asked)
            #expect(right.status == 303 && right.location == Self.asked)
            // A user who is logged in, and was led here by another site's link, goes on.
            let cookie = try #require(right.headers.first(name: "Set-Cookie")).prefix { $0 != ";" }
            let again = try await DashboardLogin.ask(.GET, gateway.url + (led.location ?? ""), cookie: String(cookie))
            #expect(again.status == 303 && again.location == Self.asked)
        }
    }

    @Test(arguments: [
        ("/dashboard", "/dashboard"), ("/dashboard/dead?done=redriven&count=1", "/dashboard/dead"),
        ("/dashboard/devices/1?preview=1&reason=lost", "/dashboard/devices/1?preview=1&reason=lost"),
    ]) func `the way back after a login is to the page of a form that came without a login, and was not done`(
        sender: String, next: String
    ) async throws {
        let fixture = try GatewayFixture().withOperators()
        try await fixture.run { gateway in
            let led = try await DashboardLogin.ask(
                .POST, "\(gateway.url)/dashboard/queue", form: [("action", "pause")],
                headers: ["Referer": gateway.url + sender])
            #expect(
                led.status == 303 && led.location == "/dashboard/login?ended=1&next=\(PercentEncoding.encode(next))")
            let login = try await DashboardLogin.ask(.GET, gateway.url + (led.location ?? ""))
            #expect(login.text.contains("You are not logged in any more, and nothing was done."))
            let elsewhere = try await DashboardLogin.ask(
                .POST, "\(gateway.url)/dashboard/queue", form: [("action", "pause")],
                headers: ["Referer": "https://elsewhere.example\(sender)"])
            #expect(elsewhere.location == "/dashboard/login?ended=1")
        }
        #expect(try await !fixture.queue.load().isPaused)
    }

    @Test func `the way back after a login begins with HTTPS where a browser does not keep the login otherwise`()
        async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let host = ("Host", "captures.example")
            let plain = try await Self.logIn(
                gateway, next: Self.asked, headers: HTTPHeaders([host, ("Origin", "http://captures.example")]))
            let location = try #require(plain.location)
            #expect(location == "/dashboard/login?unkept=1&next=\(PercentEncoding.encode(Self.asked))")
            let cookie = try #require(plain.headers.first(name: "Set-Cookie"))
            #expect(cookie.hasSuffix("; Secure"))
            let lost = try await DashboardLogin.ask(.GET, gateway.url + location, headers: HTTPHeaders([host]))
            #expect(lost.status == 200 && lost.text.contains("Come by HTTPS."))
            // Some names and browsers are taken for safe: who has the cookie goes on.
            let kept = try await DashboardLogin.ask(
                .GET, gateway.url + location, cookie: String(cookie.prefix { $0 != ";" }), headers: HTTPHeaders([host]))
            #expect(kept.status == 303 && kept.location == Self.asked)
            let safe = try await Self.logIn(
                gateway, next: Self.asked, headers: HTTPHeaders([host, ("Origin", "https://captures.example")]))
            #expect(safe.location == Self.asked)
        }
    }
}
