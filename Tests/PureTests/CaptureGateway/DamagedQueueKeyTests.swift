import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// Somebody has written over a key of the queue by hand, and it is repaired by hand.
@Suite(.timeLimit(.minutes(1))) struct `A key of the queue that is damaged` {
    /// A queue that does not tell how full it is.
    private struct DamagedQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue

        func load() async throws(QueueError) -> QueueLoad {
            throw QueueError(.refused, "DAMAGED {cq:0}:limits is of another type")
        }
    }

    /// The same key refuses every gateway: a load balancer would send nobody anywhere.
    @Test func `a damaged key takes no gateway out of the load balancer, and is named to who reads the queue`()
        async throws
    {
        var fixture = try GatewayFixture()
        let log = LogRecorder()
        fixture.dependencies.queue = DamagedQueue(memory: fixture.queue)
        fixture.dependencies.outages = Outages(logger: log.logger)
        try await fixture.run { gateway in
            let readiness = try await gateway.get("/readyz")
            #expect(readiness.status == 200 && readiness.data["dependencies"]["redis"] == "up")
            let answer = try await gateway.get("/api/v1/queue", token: GatewayFixture.readToken)
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            #expect(answer.message == "the key {cq:0}:limits is damaged in Redis: capturectl doctor")
        }
        #expect(log.values(of: "fault") == ["queue refused: DAMAGED {cq:0}:limits is of another type"])
    }

    /// Calls that need another key succeed meanwhile, which says nothing of the damaged one.
    @Test func `a damaged key is logged once, whatever Redis does meanwhile`() async throws {
        var fixture = try GatewayFixture()
        let (log, time) = (LogRecorder(), ManualTime())
        fixture.dependencies.queue = DamagedQueue(memory: fixture.queue)
        fixture.dependencies.outages = Outages(logger: log.logger) { time.monotonic }
        try await fixture.run { gateway async throws in
            for _ in 0..<3 {
                #expect(try await gateway.get("/readyz").status == 200)
                time.advance(by: .seconds(2))
                #expect(try await gateway.get("/api/v1/devices/challenge").status == 200)
            }
        }
        #expect(log.lines == ["error redis is there, but a key that tells its state is damaged"])
    }

    @Test func `a damaged key that keeps dead letters from being shown is named on their page`() async throws {
        var fixture = try GatewayFixture()
        var queue = MemoryOperatedQueue(memory: fixture.queue)
        queue.lettersFault = QueueError(.refused, "DAMAGED {cq:0}:dead is of another type")
        fixture.dependencies.operators = OperatorDependencies(
            actions: QueueActions(
                queue: queue, store: fixture.store, ledger: nil, isLedgerKept: false, now: fixture.time.source),
            archive: ListedArchive(), sessions: MemorySessions())
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/dead")
            #expect(page.status == 503)
            #expect(page.text.contains("key {cq:0}:dead is damaged in Redis: capturectl doctor"), "\(page.text)")
        }
    }

    /// An app that takes a 500 for the end would drop a genuine capture.
    @Test func `a damaged key puts an upload off, and it is accepted when the key is right again`() async throws {
        let log = LogRecorder()
        try await CapturesGateway.run(logger: log.logger) { gateway async throws in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .damaged)
            let answer = try await gateway.upload(capture)
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            #expect(answer.message == "the service is temporarily unavailable")
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(capture).status == 202)
        }
        #expect(log.values(of: "cause") == ["queue refused: DAMAGED {cq:0}:heads is of another type"])
    }

    @Test(arguments: ["DAMAGED {cq:0}:job:x is of another type", "WRONGTYPE Operation against a key"])
    func `a damaged key is to be asked again, and is no outage`(message: String) {
        let failure = APIError.unavailable(QueueError(.refused, message))
        #expect(failure.code == .unavailable && failure.retryAfter == .seconds(2))
        #expect(failure.cause == .fault("queue refused: \(message)"))
    }
}
