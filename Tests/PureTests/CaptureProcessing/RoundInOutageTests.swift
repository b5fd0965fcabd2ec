import AppAttest
import CaptureModel
import CaptureProcessing
import CaptureQueue
import CaptureStore
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("A round of several batches during an outage", .timeLimit(.minutes(1)))
struct RoundInOutageTests {
    /// What a worker does about a device.
    private enum Step: Equatable {
        case asked(DeviceID)
        case givenBack(DeviceID)
    }

    /// Everything that a worker does, in its order.
    private final class Steps: Sendable {
        private let steps = Mutex<[Step]>([])

        func note(_ new: [Step]) { steps.withLock { $0 += new } }

        var all: [Step] { steps.withLock { $0 } }
    }

    /// A record that is away or locked: from the first question on, or only once the devices are known.
    private struct AwayStore: ForwardingStore {
        let memory = MemoryCaptureStore(time: ManualTime().source)
        let steps: Steps
        let hasDevices: Bool
        let owners: [CaptureID: DeviceID]
        let fault: StoreError

        func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] {
            guard !hasDevices else { return try await memory.devices(ids) }
            steps.note(ids.map { .asked($0) })
            throw fault
        }

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            steps.note(captures.compactMap { owners[$0] }.map { .asked($0) })
            throw fault
        }
    }

    /// A queue that notes what is given back.
    private struct WatchedQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        let steps: Steps

        func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
            steps.note(settlements.map { .givenBack($0.device) })
            return try await memory.settle(settlements)
        }
    }

    /// Each would be held for as long as the first, and its lease renewed for the sum of that.
    @Test(arguments: [false, true], [StoreError.Code.unavailable, .conflict])
    func `a round of several batches during an outage holds the first of them, and hands the others back unasked`(
        hasDevices: Bool, code: StoreError.Code
    ) async throws {
        let time = ManualTime()
        let steps = Steps()
        let queue = WatchedQueue(memory: MemoryCaptureQueue(time: time.source), steps: steps)
        var maker = SubmissionMaker(seed: 82)
        // There are no bytes of any: the record is asked for its result.
        let captures = (0..<2).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }

        let owners = Dictionary(captures.map { ($0.id, $0.device) }) { first, _ in first }
        var configuration = WorkerConfiguration(appIDs: [try #require(AppID("ABCDE12345.com.example.app"))])
        configuration.pipelines = 1
        // Every bundle is a batch.
        configuration.batchBytesMax = 1
        configuration.outageHold = .milliseconds(1)
        let worker = CaptureWorker(
            queue: queue, bundles: MemoryBundleStore(),
            store: AwayStore(steps: steps, hasDevices: hasDevices, owners: owners, fault: StoreError(code, "refused")),
            configuration: configuration, time: time.source, logger: .quiet)
        let running = Task { try await worker.run() }
        defer { running.cancel() }
        let (first, second) = (captures[0].device, captures[1].device)
        try await eventually { steps.all.contains(.givenBack(second)) }
        running.cancel()
        try await running.value

        let firstRound = steps.all.prefix { $0 != .givenBack(second) }
        #expect(firstRound.contains(.asked(first)) && firstRound.contains(.givenBack(first)))
        #expect(!firstRound.contains(.asked(second)))
        // The capture that met a conflict is put off, and the other claimed anew at once.
        guard code == .unavailable else { return }
        for capture in captures { #expect(try await queue.status(of: [capture.id])[0]?.state == .queued) }
    }
}
