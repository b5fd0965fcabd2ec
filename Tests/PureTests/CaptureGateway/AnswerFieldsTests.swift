import CaptureModel
import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The fields of answers` {
    @Test func `every answer is what its type says, and a page is for no other site`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            for path in ["/healthz", "/metrics", "/openapi.json", "/nowhere", "/api/v1/queue"] {
                let answer = try await gateway.get(path)
                #expect(answer.headers["X-Content-Type-Options"] == ["nosniff"], "\(path)")
            }
            let login = try await DashboardLogin(gateway)
            for path in ["", "/captures", "/nowhere", "/static/dashboard.css", "/static/icon.svg"] {
                let answer = try await login.get("/dashboard\(path)")
                #expect(answer.headers["X-Content-Type-Options"] == ["nosniff"], "\(path)")
                #expect(answer.headers["Cross-Origin-Resource-Policy"] == ["same-origin"], "\(path)")
                #expect(answer.headers["Cross-Origin-Opener-Policy"] == ["same-origin"], "\(path)")
                #expect(answer.headers["Referrer-Policy"] == ["same-origin"], "\(path)")
                #expect(answer.headers["X-Frame-Options"] == ["DENY"], "\(path)")
                let policy = answer.headers.first(name: "Content-Security-Policy") ?? ""
                let rules = Set(policy.split(separator: ";").map { $0.drop { $0 == " " } })
                // None of these falls back to `default-src`, but the scripts' alone.
                let needed: Set<Substring> = [
                    "default-src 'none'", "script-src 'self'", "form-action 'self'", "base-uri 'none'",
                    "frame-ancestors 'none'",
                ]
                #expect(rules.isSuperset(of: needed), "\(path): \(policy)")
            }
        }
    }

    /// The policy keeps browsers from using them, and nobody would be told.
    @Test func `no page has a script or a style of its own in it`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let buried = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let login = try await DashboardLogin(gateway)
            // Those are pictures, a document and files.
            let others: [Page] = [.photo, .depth, .evidence, .asset]
            for page in Page.allCases where page.method == .get && !others.contains(page) {
                let path = page.address(page == .device ? "\(device)" : "\(buried[0])")
                let answer = try await login.get(path)
                #expect(answer.status == 200 && answer.text.hasPrefix("<!doctype html>"), "\(path)")
                let policy = answer.headers.first(name: "Content-Security-Policy") ?? ""
                #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"), "\(path)")
                #expect(!answer.text.contains(/<style|<script>|\s(style|on[a-z]+)=/), "\(path)")
            }
        }
    }

    @Test func `a file that the browser has is not sent again, however its tag is written`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let address = "\(gateway.url)/dashboard/static/dashboard.css"
            let first = try await DashboardLogin.ask(.GET, address)
            let tag = try #require(first.headers.first(name: "ETag"))
            #expect(first.status == 200 && tag.hasPrefix("\"") && !first.text.isEmpty)
            let known = [
                (tag, true), ("W/\(tag)", true), ("\"other\", \(tag)", true), ("*", true), ("\"other\"", false),
                (String(tag.dropFirst().dropLast()), false),
            ]
            for (field, isKnown) in known {
                let again = try await DashboardLogin.ask(.GET, address, headers: ["If-None-Match": field])
                #expect(again.status == (isKnown ? 304 : 200) && again.text.isEmpty == isKnown, "\(field)")
                #expect(again.headers.first(name: "ETag") == tag)
            }
        }
    }
}
