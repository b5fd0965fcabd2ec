import CaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Pages that follow the queue` {
    @Test func `the one of a capture that was given up is among them, since a redrive puts it back`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.run { gateway in
            let login = try await DashboardLogin(gateway)
            let page = try await login.get("/dashboard/captures/\(dead[0])").text
            #expect(page.contains(">failed<") && page.contains(#"<body data-live="/api/v1/events">"#))
            let still = try await login.get("/dashboard/audit").text
            #expect(still.contains(#"<body data-live="">"#) && !still.contains("live.js"))
            for script in page.matches(of: /<script src="([^"]+)"/) {
                let answer = try await login.get(String(script.1))
                #expect(answer.status == 200 && answer.text.contains("\"use strict\""))
            }
            #expect(page.contains("/dashboard/static/live.js"))
        }
    }
}
