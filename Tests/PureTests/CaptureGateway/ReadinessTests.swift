import CaptureModel
import CaptureQueue
import CaptureStore
import Observability
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Readiness of a gateway` {
    /// A record that refuses every question.
    private struct RefusingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let fault: StoreError

        func ping() async throws(StoreError) { throw fault }
    }

    /// A record that counts questions, and takes its time.
    private struct CountingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let looks = CallCount()

        func ping() async throws(StoreError) {
            looks.add()
            do { try await letTimePass(.seconds(1)) } catch { throw StoreError(.unavailable, "nobody waits any more") }
        }
    }

    /// What `/readyz` says over such a record, and what is logged.
    private func answer(over fault: StoreError) async throws -> (status: Int, postgres: String?, lines: [String]) {
        var fixture = try GatewayFixture()
        let log = LogRecorder()
        fixture.dependencies.store = RefusingStore(memory: fixture.store, fault: fault)
        fixture.dependencies.outages = Outages(logger: log.logger)
        let (answers, continuation) = AsyncStream.makeStream(of: (Int, String?).self)
        try await fixture.run { gateway in
            let answer = try await gateway.get("/readyz")
            continuation.yield((answer.status, answer.data["dependencies"]["postgres"].string))
        }
        let first = await answers.first { _ in true }
        let found = try #require(first)
        return (found.0, found.1, log.lines)
    }

    /// Each with a question of its own, they would wait for one another until both servers are taken for away.
    @Test(arguments: ["/metrics", "/readyz"])
    func `readiness is looked at once for many who ask at the same time`(path: String) async throws {
        var fixture = try GatewayFixture()
        let store = CountingStore(memory: fixture.store)
        fixture.dependencies.store = store
        // One look takes a second: far longer than it takes to ask, on a slow machine as well.
        fixture.configuration.readinessTimeout = .seconds(30)
        try await fixture.run { gateway in
            var asking: [RawConnection] = []
            for _ in 0..<40 {
                let connection = try RawConnection(port: gateway.port)
                try await connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                asking.append(connection)
            }
            for connection in asking { #expect(try await connection.read().hasPrefix("HTTP/1.1 200")) }
        }
        #expect((1..<20).contains(store.looks.count))
    }

    @Test func `readiness is not lost where all connections to the record are at work`() async throws {
        let answer = try await answer(over: StoreError(.busy, "no connection became free in time"))
        #expect(answer.status == 200 && answer.postgres == "up" && answer.lines == [])
    }

    /// Whatever is read meanwhile is served: only that would not tell that nothing can be written.
    @Test func `readiness is lost where the record only reads, for as long as it says so, and the log has its words`()
        async throws
    {
        var fixture = try GatewayFixture()
        let (log, time) = (LogRecorder(), ManualTime())
        let fault = StoreError(.unavailable, "cannot execute in a read-only transaction", isRefusal: true)
        fixture.dependencies.store = RefusingStore(memory: fixture.store, fault: fault)
        let outages = Outages(logger: log.logger) { time.monotonic }
        fixture.dependencies.outages = outages
        try await fixture.run { gateway async throws in
            for _ in 0..<3 {
                #expect(try await gateway.get("/readyz").status == 503)
                time.advance(by: .seconds(2))
                outages.answered(.postgres)
            }
        }
        #expect(log.lines == ["error postgres is away; waiting for it"])
        #expect(log.values(of: "fault").first?.contains("read-only transaction") == true)
    }

    /// Nobody may upload for hours, and only an upload needs it.
    @Test func `readiness is kept without the bundle directory, which is looked for while it is away`() async throws {
        var fixture = try GatewayFixture()
        let (log, time, isMounted) = (LogRecorder(), ManualTime(), Latch())
        let outages = Outages(logger: log.logger) { time.monotonic }
        fixture.dependencies.outages = outages
        fixture.dependencies.checkBundles = { () async throws(QueueError) in
            if !isMounted.isOpen { throw QueueError(.unavailable, "not mounted") }
        }
        outages.note(.bundles, "not mounted")
        time.advance(by: .seconds(60))
        try await fixture.run { gateway async throws in
            #expect(try await gateway.get("/readyz").status == 200)
            #expect(outages.bundles.isAway)
            isMounted.open()
            #expect(try await gateway.get("/readyz").status == 200)
        }
        #expect(log.lines == ["error bundles is away; waiting for it", "notice bundles is back"])
    }

    @Test func `readiness names the bundle directory that its start waits for`() async throws {
        var fixture = try GatewayFixture()
        fixture.dependencies.hasStarted = { false }
        let outages = Outages(logger: .quiet)
        fixture.dependencies.outages = outages
        outages.note(.bundles, "not mounted")
        try await fixture.run { gateway in
            let answer = try await gateway.get("/readyz")
            #expect(answer.status == 503 && answer.data["status"] == "starting")
            #expect(answer.data["dependencies"]["bundles"] == "down")
        }
    }

    @Test func `readiness is lost where the record does not answer`() async throws {
        let answer = try await answer(over: StoreError(.unavailable, "no connection"))
        #expect(answer.status == 503 && answer.postgres == "down")
        #expect(answer.lines == ["error postgres is away; waiting for it"])
    }

    /// Often nobody but a probe asks, and that is the only line about the outage.
    @Test(arguments: [false, true])
    func `readiness is lost with a line that says what the probe has met, or how long it has waited`(hangs: Bool)
        async throws
    {
        var fixture = try GatewayFixture()
        let log = LogRecorder()
        fixture.dependencies.queue = AwayQueue(hangs: hangs)
        fixture.dependencies.outages = Outages(logger: log.logger)
        try await fixture.run { gateway in
            let status = try await gateway.get("/readyz").status
            #expect(status == 503)
        }
        #expect(log.lines == ["error redis is away; waiting for it"])
        let fault = hangs ? "no answer to a probe within 10.0 seconds" : "queue unavailable: secret host is away"
        #expect(log.values(of: "fault") == [fault])
    }
}
