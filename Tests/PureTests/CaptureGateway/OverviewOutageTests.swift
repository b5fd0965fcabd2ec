import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The overview while PostgreSQL is away` {
    private static let warning = "PostgreSQL is away: uploads are refused"

    /// A record that does not answer.
    private struct AwayStore: ForwardingStore {
        let memory: MemoryCaptureStore

        func ping() async throws(StoreError) { throw StoreError(.unavailable, "no connection") }
    }

    @Test
    func `the overview without PostgreSQL says that uploads are refused, where numbers of the queue alone look calm`()
        async throws
    {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.outages = Outages(logger: .quiet)
        fixture.dependencies.store = AwayStore(memory: fixture.store)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard")
            #expect(page.status == 200)
            let part = try #require(page.text.firstMatch(of: /<div id="servers-live" class="live-part">(.*?)<.div>/))
            #expect(part.1.contains(Self.warning) && part.1.contains("notice warn") && !part.1.contains("role="))
        }
    }

    @Test func `the overview without PostgreSQL says since when the queue is paused, but not by whom`() async throws {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.outages = Outages(logger: .quiet)
        fixture.dependencies.store = AwayStore(memory: fixture.store)
        let queue = try #require(fixture.dependencies.operators).actions.queue
        let moment = fixture.time.now
        try await queue.setPaused(since: moment)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard").text
            #expect(page.contains("The queue is paused since <time datetime=\"\(moment.rfc3339)\""))
            #expect(page.contains("</time>: workers claim nothing"))
        }
    }

    @Test func `the overview says that the audit does not tell by whom the queue is paused, if it was read`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let queue = try #require(fixture.dependencies.operators).actions.queue
        try await queue.setPaused(since: fixture.time.now)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard").text
            #expect(page.contains("</time>, by whom the audit does not say: workers claim nothing"))
        }
    }

    @Test func `the overview is without a warning when PostgreSQL is there`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard").text
            #expect(!page.contains(Self.warning))
            // A status is read aloud where it stood empty before: it is around what the script replaces.
            for id in ["servers-live", "paused-live"] {
                let part = "<div role=\"status\"><div id=\"\(id)\" class=\"live-part\"></div></div>"
                #expect(page.contains(part), "\(id)")
            }
            #expect(page.contains(#"<div id="news" class="hidden" role="status"></div>"#))
        }
    }
}
