import CaptureModel
import CaptureQueue
import CoreMetrics
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Failures at the dashboard` {
    private struct AwayLimiter: RateLimiter {
        func admit(_ client: String, limit: Int, window: Duration) async throws(QueueError) -> RateDecision {
            throw QueueError(.unavailable, "away")
        }

        func remember(_ digest: SHA256Digest, for window: Duration) async throws(QueueError) -> Bool {
            throw QueueError(.unavailable, "away")
        }
    }

    /// Whether an answer is one for people, by the rules of every page.
    private static func isPage(_ answer: GatewayCaller.Answer) -> Bool {
        answer.headers.first(name: "Content-Type") == "text/html; charset=utf-8"
            && answer.headers.first(name: "Content-Security-Policy")?.hasPrefix("default-src 'none';") == true
    }

    private static func logIn(_ gateway: GatewayCaller) async throws -> GatewayCaller.Answer {
        try await gateway.send(.POST, "/dashboard/login", body: Array("token=guess&name=alice".utf8))
    }

    @Test func `a login too many is told when to come back, and counted`() async throws {
        var changed = try GatewayFixture().withOperators()
        changed.configuration.rates.loginLimit = 1
        let (fixture, registry) = (changed, PrometheusRegistry())
        try await withMetricsFactory(registry) {
            try await fixture.run { gateway in
                #expect(try await Self.logIn(gateway).status == 403)
                let late = try await Self.logIn(gateway)
                #expect(late.status == 429 && Self.isPage(late))
                #expect(late.headers.first(name: "Retry-After") == "60")
            }
        }
        #expect(try StrictExposition(registry.render()).value("capture_rate_limited_total") == "1")
    }

    @Test func `a login that nobody can count is put off by a page`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.limiter = AwayLimiter()
        try await fixture.run { gateway in
            let answer = try await Self.logIn(gateway)
            #expect(answer.status == 503 && Self.isPage(answer))
            #expect(answer.headers.first(name: "Retry-After") == "2")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("Not now"))
        }
    }

    @Test(
        arguments: [
            (.GET, "/dashboard/nowhere", 404, nil), (.GET, "/dashboard/captures/a/b/c", 404, nil),
            (.POST, "/dashboard/captures", 405, "GET, HEAD"), (.GET, "/dashboard/logout", 405, "POST"),
            (.DELETE, "/dashboard/login", 405, "GET, HEAD, POST"),
            (.PUT, "/dashboard/devices/6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d", 405, "GET, HEAD"),
        ] as [(NIOHTTP1.HTTPMethod, String, Int, String?)])
    func `an address that is no page, or not by this method, is answered by one`(
        method: NIOHTTP1.HTTPMethod, path: String, status: Int, allowed: String?
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.send(method, path)
            #expect(answer.status == status && Self.isPage(answer))
            #expect(answer.headers.first(name: "Allow") == allowed)
            #expect(answer.headers.first(name: "X-Request-Id") != nil)
        }
    }

    @Test(arguments: ["/dashboard/nowhere", "/dashboard/captures/", "/dashboard//captures"])
    func `an address that is no page is called that, and none of the API's`(path: String) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.get(path)
            #expect(answer.status == 404 && Self.isPage(answer))
            #expect(String(decoding: answer.body, as: UTF8.self).contains(">There is no such page.<"))
        }
    }

    @Test func `without a dashboard its addresses are none`() async throws {
        try await GatewayFixture().run { gateway in
            for path in ["/dashboard", "/dashboard/logout", "/dashboard/nowhere"] {
                let answer = try await gateway.get(path)
                #expect(answer.status == 404 && answer.code == "NOT_FOUND")
            }
        }
    }
}
