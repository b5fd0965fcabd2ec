import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The overview while a server is away` {
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

    /// Nothing else tells an operator: `/readyz` does not wait for the directory, and the queue looks calm.
    @Test func `the overview says that uploads are refused without the bundle directory, until it is back`()
        async throws
    {
        var fixture = try GatewayFixture().withOperators()
        let (time, isMounted) = (ManualTime(), Latch())
        let outages = Outages(logger: .quiet) { time.monotonic }
        fixture.dependencies.outages = outages
        fixture.dependencies.checkBundles = { () async throws(QueueError) in
            if !isMounted.isOpen { throw QueueError(.unavailable, "not mounted") }
        }
        outages.note(.bundles, "not mounted")
        time.advance(by: .seconds(60))
        try await fixture.run { gateway async throws in
            let login = try await DashboardLogin(gateway)
            let away = try await login.get("/dashboard").text
            let part = try #require(away.firstMatch(of: /<div id="servers-live" class="live-part">(.*?)<.div>/))
            #expect(part.1.contains("The bundle directory is away: this gateway refuses uploads until it is back."))
            #expect(!part.1.contains(Self.warning))
            isMounted.open()
            #expect(try await !login.get("/dashboard").text.contains("The bundle directory is away"))
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
