import AppAttest
import CaptureModel
import CaptureProcessing
import CaptureQueue
import Logging
import Synchronization
import TestSupport
import Testing
import Waiting

@Suite("A suspect in the hands of a worker that is to stop", .timeLimit(.minutes(1)))
struct StoppedSuspectTests {
    /// A store that does not answer for one capture until it is told to, and notes which ones it is asked for.
    private final class HeldBundles: ForwardingBundles {
        let memory = MemoryBundleStore()
        private let held: CaptureID
        private let fetched = Mutex<Set<CaptureID>>([])
        let asked = Latch()
        let released = Latch()

        init(at held: CaptureID) { self.held = held }

        func hasFetched(_ capture: CaptureID) -> Bool { fetched.withLock { $0.contains(capture) } }

        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
            fetched.withLock { $0.formUnion(submissions.map(\.id)) }
            if submissions.contains(where: { $0.id == held }) {
                asked.open()
                // Not to be ended by the cancellation that stops the worker.
                _ = await Task { [released] in try? await released.waitUntilOpen() }.value
            }
            return try await memory.fetch(submissions)
        }
    }

    @Test
    func `a suspect in the hands of a worker that is to stop is handed back, also where it waited for a round to end`()
        async throws
    {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 81)
        let captures = (0..<2).map { _ in maker.submission(of: maker.device(), bundleStore: .memory) }
        let (suspect, held) = (captures[0], captures[1])
        #expect(try await queue.enqueue(suspect) == .accepted)
        #expect(try await queue.worker("lost").claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).count == 1)
        time.advance(by: .seconds(10))
        let finder = queue.worker("finder")
        let lease = try #require(try await finder.takeOver())
        #expect(try await queue.enqueue(held) == .accepted)

        let bundles = HeldBundles(at: held.id)
        let app = try #require(AppID("ABCDE12345.com.example.app"))
        let worker = CaptureWorker(
            queue: queue, bundles: bundles, store: MemoryCaptureStore(time: time.source),
            configuration: WorkerConfiguration(appIDs: [app]), time: time.source, logger: .quiet)
        let running = Task { try await worker.run() }
        defer { running.cancel() }
        try await bundles.asked.waitUntilOpen()
        let handBack = LaneSettlement(token: lease.token, device: lease.device, items: [], continuation: .handedBack)
        #expect(try await finder.settle([handBack]) == [.settled])
        try await eventually { try await queue.status(of: [suspect.id])[0]?.state == .processing }

        running.cancel()
        bundles.released.open()
        try await running.value
        #expect(try await queue.status(of: [suspect.id])[0]?.state == .queued)
        #expect(!bundles.hasFetched(suspect.id))
    }
}
