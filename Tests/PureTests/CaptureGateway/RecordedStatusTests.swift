import CaptureModel
import CaptureQueue
import CaptureStore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A capture that has its result in the record` {
    /// A record that does not answer.
    private struct AwayStore: ForwardingStore {
        let memory: MemoryCaptureStore

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            throw StoreError(.unavailable, "away")
        }
    }

    /// A queue that may not be asked where captures stand.
    private struct RefusingQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            throw QueueError(.refused, "NOPERM")
        }
    }

    private static let json = [("Content-Type", "application/json")]

    private func statuses(of captures: [CaptureID], _ gateway: CapturesGateway) async throws -> GatewayCaller.Answer {
        let ids = captures.map { "\"\($0)\"" }.joined(separator: ", ")
        return try await gateway.send(
            .POST, "/api/v1/captures/status", headers: CapturesGateway.dashboard + Self.json,
            body: Array("{\"capture_ids\": [\(ids)]}".utf8))
    }

    @Test func `a capture that has its result in the record is told the same while the queue is away`() async throws {
        try await CapturesGateway.run { gateway in
            let (first, second) = (try await gateway.accepted(seed: 1), try await gateway.accepted(seed: 2))
            try await gateway.settle()
            let before = try await gateway.status(first)
            let tag = try #require(before.headers.first(name: "ETag"))
            let many = try await statuses(of: [second, first], gateway)
            gateway.backend.queue.fail(everything: true)

            let (phone, device) = (gateway.backend.phone, gateway.backend.device)
            for query in ["", "?wait=30"] {
                for headers in [CapturesGateway.dashboard, try gateway.credentials(phone, device)] {
                    let answer = try await gateway.status(first, query, headers)
                    #expect(answer.status == 200 && answer.data == before.data)
                    #expect(answer.headers.first(name: "ETag") == tag)
                }
            }
            let known = CapturesGateway.dashboard + [("If-None-Match", tag)]
            #expect(try await gateway.status(first, "", known).status == 304)
            let away = try await statuses(of: [second, first], gateway)
            #expect(away.status == 200 && away.data == many.data)
            let stream = try await gateway.send(
                .GET, "/api/v1/captures/\(first)/events", headers: CapturesGateway.dashboard)
            #expect(stream.status == 200)
            #expect(String(decoding: stream.body, as: UTF8.self).contains(#""status":"verified""#))
        }
    }

    /// Only the queue could tell where it stands.
    @Test func `a capture without a result among those that have one is 503 while the queue is away`() async throws {
        try await CapturesGateway.run { gateway in
            let settled = try await gateway.accepted(seed: 1)
            try await gateway.settle()
            let waiting = try await gateway.accepted(seed: 2)
            let other = try await gateway.otherDevice()
            gateway.backend.queue.fail(everything: true)
            #expect(try await gateway.status(waiting).status == 503)
            #expect(try await statuses(of: [settled, waiting], gateway).status == 503)
            #expect(try await statuses(of: [settled], gateway).status == 200)
            // The same answer as for a capture that is nobody's: neither is told to exist.
            let others = try await gateway.status(settled, "", gateway.credentials(other.phone, other.id))
            #expect(others.status == 503 && others.code == "UNAVAILABLE")
        }
    }

    @Test func `a status that is told by the record alone does not hide that the queue is away`() async throws {
        let log = LogRecorder()
        try await CapturesGateway.run(logger: log.logger) { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            gateway.backend.queue.fail(everything: true)
            for _ in 0..<2 { #expect(try await gateway.status(id).status == 200) }
            #expect(log.lines.count { $0 == "error redis is away; waiting for it" } == 1)
        }
        let (time, later) = (ManualTime(), LogRecorder())
        let outages = Outages(logger: later.logger) { time.monotonic }
        outages.note(.redis, "away")
        time.advance(by: .seconds(2))
        for operation in [Operation.captureStatus, .captureStatuses] { outages.served(operation) }
        #expect(later.lines == ["error redis is away; waiting for it"])
        outages.answered(.redis)
        #expect(later.lines.last == "notice redis is back")
    }

    /// The log would say that it was answered with 500.
    @Test func `a status that is told by the record alone is not logged as failed while the queue refuses`()
        async throws
    {
        let log = LogRecorder()
        try await CapturesGateway.run { gateway in
            let (backend, settled) = (gateway.backend, try await gateway.accepted(seed: 1))
            try await gateway.settle()
            let waiting = try await gateway.accepted(seed: 2)
            var dependencies = backend.dependencies
            dependencies.queue = RefusingQueue(memory: backend.queue.memory)
            dependencies.logger = log.logger
            dependencies.outages = Outages(logger: log.logger)
            let lookup = CaptureLookup(dependencies)
            #expect(try await lookup.status(of: settled, for: .readToken).state == .verified)
            let error = await #expect(throws: APIError.self) { try await lookup.status(of: waiting, for: .readToken) }
            #expect(error?.code == .internalError)
        }
        #expect(log.lines.isEmpty)
    }

    /// Whoever was told the result while the queue was away would be told afterwards that it is worked on.
    @Test func `a capture that has its result in the record is told so, although the queue has not heard of it yet`()
        async throws
    {
        try await CapturesGateway.run { gateway in
            let (backend, id) = (gateway.backend, try await gateway.accepted())
            let lease = try #require(
                try await backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let owner = try gateway.credentials(backend.phone, backend.device)
            #expect(try await gateway.status(id, "", owner).data["status"] == "processing")
            for case .valid(let job) in lease.jobs {
                let device = try await backend.store.devices([job.device])[job.device]
                let verified = ExaminedCapture(
                    job: job, clientDataHash: .hash([1]), checks: [], outcome: .of(device, counter: 1),
                    capturedAt: nil, verifiedAt: backend.time.now)
                _ = try await backend.store.settle([verified], policy: .strict)
            }
            #expect(try await backend.queue.status(of: id)?.state == .processing)
            for headers in [CapturesGateway.dashboard, try gateway.credentials(backend.phone, backend.device)] {
                #expect(try await gateway.status(id, "", headers).data["status"] == "verified")
            }
        }
    }

    @Test func `a capture that is worked on is told so while the record is away`() async throws {
        try await CapturesGateway.run { gateway in
            let (backend, id) = (gateway.backend, try await gateway.accepted())
            _ = try await backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero)
            var dependencies = backend.dependencies
            dependencies.store = AwayStore(memory: backend.store)
            let lookup = CaptureLookup(dependencies)
            for reader in [Reader.readToken, .device(backend.device)] {
                #expect(try await lookup.status(of: id, for: reader).state == .processing)
            }
        }
    }
}
