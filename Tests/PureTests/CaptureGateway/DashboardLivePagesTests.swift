import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Pages that follow the queue` {
    /// A queue that does not say how full it is.
    private struct MuteQueue: ForwardingQueue, DeadLetterQueue {
        let memory: MemoryCaptureQueue

        func load() async throws(QueueError) -> QueueLoad { throw QueueError(.unavailable, "away") }
    }

    /// A record that keeps the subjects whose audit it was asked for.
    private struct AskedStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let asked = Asked()

        final class Asked: Sendable {
            let subjects = Mutex<Set<String>>([])
        }

        func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry] {
            _ = asked.subjects.withLock { $0.insert(subject) }
            return try await memory.auditTrail(of: subject, limit: limit)
        }
    }

    @Test func `the page of a capture that was given up follows the queue, as a redrive puts it back`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let dead = try await fixture.queue.bury(["refused"], seed: 1)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(dead[0])").text
            #expect(page.contains(">failed<") && page.contains(#"<body data-live="/api/v1/events">"#))
            let still = try await login.get("/dashboard/audit").text
            #expect(still.contains(#"<body data-live="">"#) && !still.contains("live.js"))
            let scripts = page.matches(of: /<script src="([^"]+)"/).map { String($0.output.1) }
            #expect(scripts.contains("/dashboard/static/live.js"))
            for script in scripts {
                let answer = try await login.get(script)
                #expect(answer.status == 200 && answer.text.contains("\"use strict\""))
            }
        }
    }

    @Test func `pages that tell of no pause ask nobody who has paused the queue`() async throws {
        var fixture = try GatewayFixture().withOperators()
        let store = AskedStore(memory: fixture.store)
        fixture.dependencies.store = store
        let queue = try #require(fixture.dependencies.operators).actions.queue
        try await queue.setPaused(since: fixture.time.now)
        try await fixture.runLoggedIn { login async throws in
            // The last of them tells it.
            for (path, isTold) in [("devices", false), ("audit", false), ("dead", true)] {
                // The login's page, or the one before.
                store.asked.subjects.withLock { $0 = [] }
                #expect(try await login.get("/dashboard/\(path)").status == 200)
                let isAsked = store.asked.subjects.withLock { $0.contains(QueueActions.queueSubject) }
                #expect(isAsked == isTold, "\(path)")
            }
        }
    }

    @Test func `each page says beside the link of dead letters how many there are, and nothing if there is none`()
        async throws
    {
        let fixture = try GatewayFixture().withOperators()
        let nothing = #"<span id="dead-live" class="live-part"></span>"#
        try await fixture.runLoggedIn { login in
            #expect(try await login.get("/dashboard/captures").text.contains(nothing))
            let dead = try await fixture.queue.bury(["refused", "odd"], seed: 1)
            let capture = "captures/\(dead[0])"
            for name in ["", "captures", capture, "rejections", "replays", "devices", "dead", "audit"] {
                let path = name.isEmpty ? "" : "/\(name)"
                let page = try await login.get("/dashboard\(path)").text
                #expect(page.contains(#">Dead letters <span id="dead-live" class="live-part">2</span></a>"#), "\(path)")
            }
        }
    }

    @Test func `pages that follow the queue are there where nobody says whether it is paused, which is logged`()
        async throws
    {
        var fixture = try GatewayFixture().withOperators()
        let log = LogRecorder()
        fixture.dependencies.outages = Outages(logger: log.logger)
        fixture.dependencies.queue = MuteQueue(memory: fixture.queue)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/dead")
            #expect(page.status == 200 && !page.text.contains("The queue is paused"))
        }
        #expect(log.lines == ["error redis is away; waiting for it"])
    }
}
