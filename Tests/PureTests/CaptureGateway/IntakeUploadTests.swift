import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Uploading to a gateway with a ledger` {
    @Test func `the row is there before the capture is in the queue, and before the answer`() async throws {
        // Longer than the hold on a busy machine.
        try await CapturesGateway.run(configure: { $0.intake.wait = .seconds(50) }, hasLedger: true) {
            gateway async throws in
            let ledger = try #require(gateway.backend.ledger)
            let (capture, gate, answers) = (try gateway.capture(), Gate(), CallCount())
            gateway.backend.gatedLedger?.hold(recordsAt: gate)
            let upload = Task {
                let answer = try await gateway.upload(capture)
                answers.add()
                return answer
            }
            await gate.untilReached()
            // An answer that was given by then would be here before all of these.
            for _ in 0..<20 { #expect(try await gateway.send(.GET, "/healthz").status == 200) }
            #expect(answers.count == 0)
            #expect(gateway.backend.bundles.count == 1)
            #expect(try await gateway.backend.queue.load().captures == 0)
            gate.open()
            let answer = try await upload.value
            #expect(answer.status == 202)
            #expect(
                try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture) == [answer.captureID])
        }
    }

    /// As the queue has it, and so the result: a list's page would show a capture again that was settled meanwhile.
    @Test func `an upload's row has the time of receipt to the millisecond`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            gateway.backend.time.advance(by: .microseconds(1_234_567))
            let answer = try await gateway.upload(gateway.capture())
            let rows = try await #require(gateway.backend.ledger).entries(of: [try #require(answer.captureID)])
            let milliseconds = gateway.backend.time.now.millisecondsSince1970
            #expect(rows.map(\.submission.receivedAt) == [Timestamp(millisecondsSince1970: milliseconds)])
            #expect(gateway.backend.time.now.microsecondsSince1970 % 1000 == 567)
        }
    }

    @Test func `without the ledger nothing is accepted and nothing is left`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            let ledger = try #require(gateway.backend.ledger)
            let capture = try gateway.capture()
            await ledger.fail(with: StoreError(.unavailable, "the server at 10.0.0.8 is away"))
            let answer = try await gateway.upload(capture)
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE")
            #expect(answer.headers.first(name: "Retry-After") != nil)
            #expect(gateway.backend.bundles.count == 0)
            await ledger.fail(with: nil)
            #expect(try await gateway.upload(capture).status == 202)
        }
    }

    @Test(arguments: [
        (QueueError(.unavailable, "the disk is full", of: .bundles), 0),
        (QueueError(.starting, "the servers have not been looked at", of: .bundles), 0),
        (QueueError(.outcomeUnknown, "the disk does not answer", of: .bundles), 1),
    ])
    func `bytes that were certainly not stored whole leave nothing`(fault: QueueError, left: Int) async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            gateway.backend.faultyBundles.fail(puttingWith: fault)
            #expect(try await gateway.upload(gateway.capture()).status == 503)
            #expect(gateway.backend.bundles.count == left)
            #expect(try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty == true)
        }
    }

    @Test func `only a server that is away counts as away, and a bundle directory is not the queue`() throws {
        let servers: [(QueueError.Server, BackingServer)] = [(.queue, .redis), (.bundles, .bundles)]
        for (server, backing) in servers {
            let full = QueueError(.unavailable, "full", of: server)
            #expect(APIError.unavailable(full).cause == .server(backing, full.description))
            #expect(full.description == "\(server) unavailable: full")
            let denied = QueueError(.refused, "denied", of: server)
            #expect(APIError.unavailable(denied).cause == .refusal(backing, denied.description))
            for code in [QueueError.Code.busy, .restoring, .tooFewReplicas] {
                let error = QueueError(code, "wait", of: server)
                #expect(APIError.unavailable(error).cause == .busy(error.description))
            }
            let starting = APIError.unavailable(QueueError(.starting, "wait", of: server))
            #expect(starting.code == .unavailable && starting.retryAfter != nil && starting.cause == nil)
        }
        for code in [StoreError.Code.busy, .conflict] {
            let error = StoreError(code, "wait")
            #expect(APIError.unavailable(error).cause == .busy(error.description))
            #expect(APIError.unavailable(error).code == .unavailable)
        }
        let away = StoreError(.unavailable, "away")
        #expect(APIError.unavailable(away).cause == .server(.postgres, away.description))
        // What a probe would not meet.
        let readOnly = StoreError(.unavailable, "a replica", scope: .writers, isRefusal: true)
        #expect(APIError.unavailable(readOnly).cause == .refusal(.postgres, readOnly.description))
        let noRoom = QueueError(.unavailable, "OOM", isRefusal: true)
        #expect(APIError.unavailable(noRoom).cause == .refusal(.redis, noRoom.description))
    }

    /// An answer that cannot be read may be that of a row which is there.
    @Test(arguments: [
        (StoreError(.outcomeUnknown, "the connection broke"), 503), (StoreError(.malformedRow, "no first_id"), 500),
    ])
    func `when it is unknown whether the row is there, the bytes stay`(fault: StoreError, status: Int) async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            await gateway.backend.ledger?.fail(with: fault)
            #expect(try await gateway.upload(gateway.capture()).status == status)
            #expect(gateway.backend.bundles.count == 1)
        }
    }

    /// What is taken back although it is in the queue is told as a capture whose bytes are lost.
    @Test(
        arguments: [
            (.unavailable, false), (.busy, false), (.starting, false), (.refused, false), (.restoring, true),
            (.outcomeUnknown, true), (.tooFewReplicas, true), (.malformedReply, true),
        ] as [(QueueError.Code, Bool)])
    func `only what is certainly not in the queue is taken back`(code: QueueError.Code, isInDoubt: Bool) {
        #expect(NotAccepted(QueueError(code, "a fault")).isInDoubt == isInDoubt)
    }

    @Test func `a full queue leaves neither row nor bytes`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.capturesMax = 1
        try await CapturesGateway.run(limits: limits, hasLedger: true) { gateway async throws in
            #expect(try await gateway.upload(gateway.capture(seed: 1)).status == 202)
            #expect(try await gateway.upload(gateway.capture(seed: 2)).code == "QUEUE_FULL")
            #expect(gateway.backend.bundles.count == 1)
            #expect(try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).count == 1)
        }
    }

    /// The reconciler enqueues it: without its bytes it would be told as one that Redis has lost.
    @Test func `a refused upload whose row cannot be taken back keeps its bytes as well`() async throws {
        var limits = MemoryCaptureQueue.Configuration()
        limits.capturesMax = 1
        try await CapturesGateway.run(limits: limits, hasLedger: true) { gateway async throws in
            let ledger = try #require(gateway.backend.ledger)
            let first = try #require(try await gateway.upload(gateway.capture(seed: 1)).captureID)
            await ledger.fail(withdrawing: StoreError(.unavailable, "away"))
            #expect(try await gateway.upload(gateway.capture(seed: 2)).code == "QUEUE_FULL")
            let open = try await ledger.openIntake(after: 0, olderThan: .zero, limit: 9).map(\.capture)
            #expect(open.count == 2 && open.first == first)
            #expect(open.allSatisfy(gateway.backend.bundles.contains))
        }
    }

    @Test func `a queue that is away leaves neither row nor bytes`() async throws {
        try await CapturesGateway.run(hasLedger: true) { gateway async throws in
            gateway.backend.queue.fail(enqueue: .away)
            #expect(try await gateway.upload(gateway.capture()).status == 503)
            #expect(gateway.backend.bundles.count == 0)
            #expect(try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).isEmpty == true)
        }
    }

    @Test func `while the queue is restored an upload waits, and is refused in the end with its row kept`() async throws
    {
        try await CapturesGateway.run(configure: { $0.intake.restoreWait = .milliseconds(60) }, hasLedger: true) {
            gateway async throws in
            let capture = try gateway.capture()
            gateway.backend.queue.fail(enqueue: .restoring)
            let first = try await gateway.upload(capture)
            #expect(first.status == 503 && first.code == "UNAVAILABLE")
            #expect(gateway.backend.restoringCalls.count == 1, "once, however often it looks again")
            #expect(gateway.backend.bundles.count == 1)
            let row = try await gateway.backend.ledger?.openIntake(after: 0, olderThan: .zero, limit: 9).first
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(capture).captureID == row?.capture)
        }
    }
}
