import CaptureModel
import CaptureOperations
import CaptureQueue
import TestSupport
import Testing

@testable import CaptureGateway

/// With 1,024 partitions, a question that only one of them can answer would be 2,048 commands.
@Suite("Captures whose device is known", .timeLimit(.minutes(1)))
struct OwnPartitionTests {
    /// A queue that says nothing when all of its partitions are asked.
    private struct DividedQueue: OperatedQueue, ForwardingQueue {
        let memory: MemoryCaptureQueue

        func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
            throw QueueError(.refused, "a partition refuses")
        }
        func status(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [JobStatus?] {
            let found = try await memory.status(of: captures.map(\.capture))
            return zip(captures, found).map { capture, status in status?.device == capture.device ? status : nil }
        }
        func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
            guard try await memory.status(of: capture)?.device == device else { return false }
            return try await memory.redrive(capture, from: device)
        }
        func setPaused(since: Timestamp?) async throws(QueueError) {}
    }

    @Test func `a device asks its own partition about its captures, and others ask all`() async throws {
        try await CapturesGateway.run { gateway in
            let (backend, id) = (gateway.backend, try await gateway.accepted())
            let other = try await gateway.otherDevice()
            var dependencies = backend.dependencies
            dependencies.queue = DividedQueue(memory: backend.queue.memory)
            let lookup = CaptureLookup(dependencies)
            #expect(try await lookup.status(of: id, for: .device(backend.device)).state == .queued)
            #expect(try await lookup.statuses(of: [id], for: .device(backend.device)).map(\.state) == [.queued])
            #expect(try await lookup.statuses(of: [id], for: .device(other.id)).isEmpty)
            let fault = await #expect(throws: APIError.self) { try await lookup.status(of: id, for: .readToken) }
            #expect(fault?.code == .internalError)
        }
    }

    @Test func `an operator's redrive asks the partition of the dead letter's device`() async throws {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 57)
        let letter = try await memory.bury(maker.submission(of: maker.device()))
        let actions = QueueActions(
            queue: DividedQueue(memory: memory), store: MemoryCaptureStore(time: time.source), ledger: nil,
            isLedgerKept: false, now: time.source)
        let (outcome, fault) = await actions.act(.redrive, on: [letter], by: "alice")
        #expect(fault == nil && outcome.done == 1)
        #expect(try await memory.status(of: letter.id)?.state == .queued)
    }
}
