import CaptureModel
import CaptureQueue
import CaptureStore
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite struct `Handing captures off while the queue is restored` {
    /// Is restored before it answers for the first time: the capture is put back from its row.
    private struct RestoredQueue: ForwardingQueue {
        let memory: MemoryCaptureQueue
        /// What becomes of the capture then.
        let isSettled: Bool
        private let calls = Calls()

        private final class Calls: Sendable {
            let count = Mutex(0)
        }

        init(_ memory: MemoryCaptureQueue, isSettled: Bool) {
            self.memory = memory
            self.isSettled = isSettled
        }

        func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
            let outcome = try await memory.enqueue(submission)
            let isFirst = calls.count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return outcome }
            if isSettled { try await settle(submission) }
            throw QueueError(.restoring, "captures are put back")
        }

        private func settle(_ submission: CaptureSubmission) async throws(QueueError) {
            for lease in try await memory.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero) {
                let item = LaneSettlement.Item(id: submission.id, disposition: .settled(.verified))
                _ = try await memory.settle([
                    LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
                ])
            }
        }
    }

    @Test func `bytes that cannot be stored again are no fault of the queue`() async throws {
        let (time, memory) = (ManualTime(), MemoryBundleStore())
        let queue = FaultyQueue(MemoryCaptureQueue(time: time.source, bundles: memory))
        queue.fail(enqueue: .restoring)
        let bundles = FaultyBundles(memory)
        bundles.fail(puttingWith: QueueError(.unavailable, "not mounted", of: .bundles))
        let submission = SubmissionMaker.submission(seed: 2, receivedAt: time.now)
        let bytes = UploadedBytes(
            bundles: bundles, submission: submission, media: CaptureMedia(photo: ByteBuffer(), depth: ByteBuffer()),
            logger: .quiet)
        let restoring = RestoringEnqueue(
            queue: queue, store: MemoryCaptureStore(time: time.source), restoreWait: .seconds(30), onRestoring: {})
        let fault = await #expect(throws: QueueError.self) { try await restoring.enqueue(submission, bytes) }
        #expect(fault?.description == "bundles outcomeUnknown: not mounted")
    }

    /// What the queue and the record say of the capture by then.
    enum Standing: CaseIterable {
        case queued, settled
        /// Settled by the queue's word alone: its reconciler needs the bytes.
        case withoutResult
    }

    @Test(arguments: Standing.allCases)
    func `bytes are left to nobody where the capture was settled meanwhile, and kept where it was not`(
        _ standing: Standing
    ) async throws {
        let (time, bundles) = (ManualTime(), MemoryBundleStore())
        let store = MemoryCaptureStore(time: time.source)
        let memory = MemoryCaptureQueue(time: time.source, bundles: bundles)
        let queue = RestoredQueue(memory, isSettled: standing != .queued)
        let submission = SubmissionMaker.submission(seed: 1, receivedAt: time.now)
        let bytes = UploadedBytes(
            bundles: bundles, submission: submission,
            media: CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2])),
            logger: .quiet)
        try await bytes.put()
        if standing == .settled {
            _ = try await store.settle([.ofNobody(submission, at: time.now)], policy: .strict)
        }
        let restoring = RestoringEnqueue(
            queue: queue, store: store, restoreWait: .seconds(30), onRestoring: {})
        #expect(try await restoring.enqueue(submission, bytes) == .accepted)
        #expect(bundles.count == (standing == .settled ? 0 : 1))
    }
}
