import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// What a screen reader says without the page around it (WCAG 2.4.4, 3.3.1).
@Suite(.timeLimit(.minutes(1))) struct `Names at the dashboard` {
    @Test func `names at the dashboard tell the two links apart that say the same, and its title from its pages'`()
        async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures").text
            #expect(page.contains(#"<a class="brand" href="/dashboard" aria-label="Captures, overview">"#))
            #expect(page.contains("<title>Captures · capture-processor</title>"))
            #expect(page.contains(#"<bdi title="alice">alice</bdi>"#), "a long name is cut")
        }
    }

    @Test(arguments: [("token=guess&name=alice", "token", "name"), ("token=guess&name=", "name", "token")])
    func `a field that kept a login from success is tied to the words on it`(
        form: String, wrong: String, right: String
    ) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let answer = try await gateway.send(
                .POST, "/dashboard/login", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(form.utf8))
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 403 && page.contains(#"role="alert" id="problem""#))
            func input(_ name: String) throws -> String {
                let inputs = page.matches(of: /<input [^>]*>/).map { String($0.0) }
                return try #require(inputs.first { $0.contains("id=\"\(name)\"") })
            }
            #expect(try input(wrong).contains(#"aria-invalid="true" aria-describedby="problem""#))
            #expect(try !input(right).contains("aria-"))
        }
    }
}
