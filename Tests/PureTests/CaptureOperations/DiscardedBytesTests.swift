import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@Suite("Bytes of discarded captures", .timeLimit(.minutes(1)))
struct DiscardedBytesTests {
    /// Files that are away, and whose it was asked to remove.
    private final class AwayFiles: BundleStore {
        let asked = Mutex<[CaptureID]>([])
        private let fault = QueueError(.unavailable, "not mounted")

        var name: BundleStoreName { .filesystem }

        func put(_ bundle: CaptureBundle, of submission: CaptureSubmission) async throws(QueueError) { throw fault }
        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedBundle] { throw fault }
        func remove(_ submission: CaptureSubmission) async throws(QueueError) { throw fault }
        func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
            asked.withLock { $0 += captures }
            throw fault
        }
    }

    /// A dead letter whose job says where its bytes are.
    private static func letter(
        in queue: MemoryCaptureQueue, _ maker: inout SubmissionMaker, bytesIn store: BundleStoreName?
    ) async throws -> DeadLetter {
        try await bury(maker.submission(of: maker.device()), in: queue, bytesIn: store)
    }

    private static func bury(
        _ capture: CaptureSubmission, in queue: MemoryCaptureQueue, bytesIn store: BundleStoreName?
    ) async throws -> DeadLetter {
        #expect(try await queue.enqueue(capture) == .accepted)
        let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
        let item = LaneSettlement.Item(id: capture.id, disposition: .dead(.attemptsExhausted, fault: "gone"))
        _ = try await queue.settle([
            LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)
        ])
        var letter = try #require(try await queue.deadLetter(capture.id))
        letter.bundleStore = store
        return letter
    }

    @Test func `stay where somebody has sent the bundle again meanwhile`() async throws {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 5)
        let sent = maker.submission(of: maker.device())
        let letters = [
            try await Self.bury(sent, in: memory, bytesIn: .filesystem),
            try await Self.letter(in: memory, &maker, bytesIn: .filesystem),
        ]
        var queue = MemoryOperatedQueue(memory: memory)
        queue.afterDiscard = { id throws(QueueError) in
            if id == sent.id { #expect(try await memory.enqueue(sent) == .accepted) }
        }
        let files = AwayFiles()
        let desk = OperatorDesk(
            queue: queue, store: MemoryCaptureStore(time: time.source), ledger: nil, bundles: files, now: time.source)
        let outcome = try await desk.discard(letters, by: "alice")
        #expect(outcome.done == 2)
        #expect(files.asked.withLock { $0 } == [letters[1].id])
    }

    @Test func `are told of where some may be left, and not where they went with their jobs`() async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 4)
        let stores: [BundleStoreName?] = [.filesystem, .redis, nil, .filesystem]
        var letters: [DeadLetter] = []
        for store in stores { letters.append(try await Self.letter(in: queue, &maker, bytesIn: store)) }
        #expect(try await queue.redrive(letters[3].id))
        let files = AwayFiles()
        let desk = OperatorDesk(
            queue: MemoryOperatedQueue(memory: queue), store: MemoryCaptureStore(time: time.source), ledger: nil,
            bundles: files, now: time.source)
        let outcome = try await desk.discard(letters, by: "alice")
        #expect(outcome.done == 3 && outcome.missing == [letters[3].id])
        #expect(outcome.leftToSweepMax == 2)
        let asked = files.asked.withLock { $0 }
        #expect(asked == [letters[0].id, letters[2].id])
    }
}
