import CaptureModel
import CaptureQueue
import CaptureStore
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Requests that are put off, in the log", .timeLimit(.minutes(1)))
struct PutOffRequestsTests {
    private let log = LogRecorder()
    private let conflict = StoreError(.conflict, "canceling statement due to lock timeout", serverCode: "55P03")

    @Test func `uploads for which a table is locked are told once, with what PostgreSQL says`() async throws {
        try await CapturesGateway.run(logger: log.logger, hasLedger: true) { gateway async throws in
            await gateway.backend.ledger?.fail(with: conflict)
            for seed in UInt64(1)...3 {
                #expect(try await gateway.upload(gateway.capture(seed: seed)).status == 503)
            }
        }
        #expect(log.lines.filter { $0.hasPrefix("warning") } == ["warning requests are put off"])
        #expect(log.values(of: "cause") == [conflict.description])
    }

    @Test func `uploads that too few replicas have are told once, and Redis is neither away nor back`() async throws {
        let time = ManualTime()
        let outages = Outages(logger: log.logger) { time.monotonic }
        let shortfall = QueueError(.tooFewReplicas, "0 of 1 replicas have it in time")
        for _ in 0..<20 {
            outages.log(.unavailable(shortfall), .quiet)
            time.advance(by: .seconds(2))
            outages.probed(.redis)
        }
        #expect(log.lines == ["warning requests are put off"])
        #expect(log.values(of: "cause") == [shortfall.description])
        time.advance(by: LoggedEpisode.calm)
        outages.served(.uploadCapture)
        #expect(log.lines.dropFirst() == ["notice requests are put off no longer"])
    }

    /// They come again every few seconds, and the log may be on the same disk.
    @Test func `uploads that the bundle directory does not take are told by its outage alone`() async throws {
        let outage = QueueError(.unavailable, "not mounted", of: .bundles)
        try await CapturesGateway.run(logger: log.logger, hasLedger: true) { gateway async throws in
            gateway.backend.faultyBundles.fail(everythingWith: outage)
            for seed in UInt64(1)...3 {
                #expect(try await gateway.upload(gateway.capture(seed: seed)).status == 503)
            }
        }
        #expect(log.lines.contains("error bundles is away; waiting for it"))
        #expect(log.values(of: "fault") == [outage.description])
    }

    /// A gateway listens before it has looked at the servers, at each restart.
    @Test func `uploads that a gateway refuses while it starts are no trouble in the log`() async throws {
        try await CapturesGateway.run(logger: log.logger, hasLedger: true) { gateway async throws in
            gateway.backend.faultyBundles.fail(everythingWith: QueueError(.starting, "not looked at yet", of: .bundles))
            let answer = try await gateway.upload(gateway.capture(seed: 1))
            #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") != nil)
        }
        #expect(!log.lines.contains { $0.contains("put off") || $0.contains("is away") })
    }

    /// Nothing else says that PostgreSQL has gone back in time.
    @Test func `a result that the record has lost is told with its capture while others are put off`() async throws {
        try await CapturesGateway.run(logger: log.logger, hasLedger: true) { gateway async throws in
            let capture = try gateway.capture(seed: 1)
            let id = try #require(try await gateway.upload(capture).captureID)
            try await gateway.settleInQueue()
            await gateway.backend.ledger?.fail(with: conflict)
            #expect(try await gateway.upload(gateway.capture(seed: 2)).status == 503)
            await gateway.backend.ledger?.fail(with: nil)
            let told = log.values(of: "capture_id").count { $0 == "\(id)" }
            let answer = try await gateway.upload(capture)
            #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") != nil)
            #expect(log.lines.last == "error the record has lost the result of an accepted capture")
            #expect(log.values(of: "capture_id").count { $0 == "\(id)" } == told + 1)
        }
        #expect(log.values(of: "cause") == [conflict.description])
    }

    @Test func `there is one line when they begin and one when there have been none for a while`() {
        let time = ManualTime()
        let putOff = Outages(logger: log.logger) { time.monotonic }.putOff
        putOff.end()
        for _ in 0..<20 {
            putOff.begin(["cause": "locked"])
            time.advance(by: LoggedEpisode.calm - .seconds(1))
            putOff.end()
        }
        #expect(log.lines == ["warning requests are put off"])
        time.advance(by: .seconds(1))
        for _ in 0..<3 { putOff.end() }
        #expect(log.lines.dropFirst() == ["notice requests are put off no longer"])
        putOff.begin(["cause": "locked"])
        #expect(log.lines.count == 3)
    }

    @Test func `whatever is served tells that requests are put off no longer`() {
        let time = ManualTime()
        let outages = Outages(logger: log.logger) { time.monotonic }
        outages.log(.unavailable(conflict), .quiet)
        outages.served(.metrics)
        #expect(log.lines == ["warning requests are put off"])
        time.advance(by: LoggedEpisode.calm)
        outages.served(.metrics)
        #expect(log.lines.dropFirst() == ["notice requests are put off no longer"])
    }

    /// Nobody may ask for the bytes again for hours.
    @Test func `a bundle directory that was back too soon to be believed is back at the next probe`() {
        let time = ManualTime()
        let outages = Outages(logger: log.logger) { time.monotonic }
        outages.note(.bundles, "not mounted")
        outages.served(.uploadCapture)
        time.advance(by: .seconds(1))
        outages.answered(.redis)
        #expect(log.lines == ["error bundles is away; waiting for it", "notice bundles is back"])
    }
}
