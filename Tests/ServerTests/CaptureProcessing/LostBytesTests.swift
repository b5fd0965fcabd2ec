import CaptureModel
import CaptureQueue
import CaptureStore
import CoreMetrics
import Logging
import NIOCore
import Observability
import Synchronization
import TestSupport
import Testing

/// A worker has read a capture's bytes, and they are lost before it has its result.
@Suite("A capture whose bytes are lost while it is worked", .timeLimit(.minutes(2)))
struct LostBytesTests {
    /// Bytes that come right after a worker has looked for them the second time.
    private final class LateBundles: ForwardingBundles {
        let memory = MemoryBundleStore(named: .filesystem)
        private let looks = Mutex(0)
        private let come: @Sendable (MemoryBundleStore) async throws(QueueError) -> Void

        init(come: @escaping @Sendable (MemoryBundleStore) async throws(QueueError) -> Void) { self.come = come }

        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
            let fetched = try await memory.fetch(submissions)
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look == 2 { try await come(memory) }
            return fetched
        }
    }

    /// A queue that puts a capture back for its own device only.
    private struct DividedQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue

        func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
            guard try await memory.status(of: capture)?.device == device else { return false }
            return try await memory.redrive(capture, from: device)
        }
    }

    @Test(arguments: [ConformingQueue.memory, .redis])
    func `a capture that loses its bytes at work ends with its result, although another worker has given it up`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with { fixture in
            try await run(fixture.worker("slow"), fixture.worker("other"), fixture.passTime)
        }
    }

    /// In files, where the queue cannot see them come: whoever sent the bundle again has its 202.
    @Test(arguments: [ConformingQueue.memory, .redis])
    func `a capture whose bytes come after they were looked for twice and before it is given up is worked`(
        kind: ConformingQueue
    ) async throws {
        try await kind.with { fixture in
            try await bring(to: fixture.worker("worker"))
        }
    }

    @Test func `a capture that a worker puts back is put back in its device's partition`() async throws {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        try await bring(to: DividedQueue(memory: memory))
        try await run(DividedQueue(memory: memory.worker("slow")), memory.worker("other")) {
            time.advance(by: .seconds(120))
        }
    }

    private func bring(to queue: some CaptureQueue) async throws {
        let capture = SubmissionMaker.submission(seed: 2, photoBytes: 1, depthBytes: 1, bundleStore: .filesystem)
        #expect(try await queue.enqueue(capture) == .accepted)
        let bundles = LateBundles { (memory: MemoryBundleStore) async throws(QueueError) in
            try await memory.put(
                CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])), of: capture)
            let outcome = try await queue.enqueue(capture)
            #expect(outcome == .accepted)
        }
        let (time, recorder) = (ManualTime(), LogRecorder())
        let store = MemoryCaptureStore(time: time.source)
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source, logger: recorder.logger) {
            try await eventually { try await queue.status(of: [capture.id])[0]?.state == .rejected }
            #expect(try await queue.deadLetter(capture.id) == nil)
        }
        #expect(recorder.lines.count { $0 == "notice a dead letter has its bytes after all" } == 1)
    }

    private func run(
        _ queue: some CaptureQueue, _ other: some CaptureQueue, _ passTime: @escaping @Sendable () async throws -> Void
    ) async throws {
        let bundles = MemoryBundleStore(named: .filesystem)
        let capture = SubmissionMaker.submission(seed: 1, bundleStore: .filesystem)
        try await bundles.put(
            CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])), of: capture)
        #expect(try await queue.enqueue(capture) == .accepted)
        let time = ManualTime()
        let store = ActingStore(MemoryCaptureStore(time: time.source), before: .settle) {
            try await passTime()
            let lease = try #require(try await other.takeOver())
            try await bundles.removeSettled([capture.id])
            #expect(try await other.settle([lease.burying()]) == [.settled])
            #expect(try await other.deadLetter(capture.id) != nil)
        }
        let (registry, recorder) = (PrometheusRegistry(), LogRecorder())
        try await withMetricsFactory(registry) {
            try await withWorker(of: queue, bundles: bundles, store: store, now: time.source, logger: recorder.logger) {
                try await eventually { try await queue.status(of: [capture.id])[0]?.state == .rejected }
                #expect(try await queue.deadLetter(capture.id) == nil)
            }
        }
        #expect(try StrictExposition(registry.render()).value("capture_leases_lost_total") == "1")
        #expect(recorder.lines.count { $0 == "notice lanes had been taken over by then" } == 1)
    }
}
