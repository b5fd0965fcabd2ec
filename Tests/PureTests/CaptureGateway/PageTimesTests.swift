import CaptureModel
import HTML
import TestSupport
import Testing

@testable import CaptureGateway

/// A page may be read hours after it was loaded, and by whoever sees no tooltip.
@Suite(.timeLimit(.minutes(1))) struct `Times on pages` {
    /// A page without its marks, and so without what only a pointer shows.
    private static func words(_ page: String) -> String { page.replacing(/<[^>]*>/, with: " ") }

    private static func moment(_ moment: Timestamp) -> String {
        "\(moment.rfc3339.prefix(10)) \(moment.rfc3339.dropFirst(11).prefix(8))"
    }

    @Test func `times on pages of dead letters are moments, and the page says as of when it is`() async throws {
        let fixture = try GatewayFixture().withOperators()
        _ = try await fixture.queue.bury(["refused"], seed: 1)
        let died = Self.moment(fixture.time.now)
        fixture.time.advance(by: .seconds(35))
        let read = Self.moment(fixture.time.now)
        try await fixture.run { gateway in
            let words = Self.words(try await DashboardLogin(gateway).get("/dashboard/dead").text)
            #expect(words.contains(died) && words.contains("35 s ago"))
            #expect(words.contains(/As of\s+/) && words.contains(read))
        }
    }

    @Test func `times on pages of dead letters are just now within a second, wherever they are said`() async throws {
        let fixture = try GatewayFixture().withOperators()
        _ = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.run { gateway in
            let words = Self.words(try await DashboardLogin(gateway).get("/dashboard/dead").text)
            #expect(words.contains("just now") && !words.contains("s ago"))
        }
    }

    @Test func `times on pages of devices are moments`() async throws {
        try await CapturesGateway.run { gateway in
            let page = DevicesPage(
                found: try await gateway.backend.store.listDevices(after: nil, limit: 1), after: nil)
            let user = DashboardUser(name: "alice", isOperator: false, token: .hash([]), formToken: "")
            let now = gateway.backend.time.now
            let words = Self.words(page.markup(Shell(user: user, now: now.advanced(by: .seconds(35)))).text)
            #expect(words.contains(Self.moment(now)) && words.contains("35 s ago"))
        }
    }
}
