import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FilesystemBundleStore
import Synchronization
import TestSupport
import Testing

@Suite("Bytes of discarded captures", .timeLimit(.minutes(1)))
struct DiscardedBytesTests {
    /// Files that are away, and whose it was asked to remove.
    private final class AwayFiles: BundleStore {
        let asked = Mutex<[CaptureID]>([])
        private let fault: QueueError

        init(_ fault: QueueError = QueueError(.unavailable, "not mounted", of: .bundles)) {
            self.fault = fault
        }

        var name: BundleStoreName { .filesystem }

        func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) { throw fault }
        func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) { throw fault }
        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] { throw fault }
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
        var letter = try await queue.bury(capture)
        letter.bundleStore = store
        return letter
    }

    @Test func `bytes of discarded captures stay where somebody has sent the bundle again meanwhile`() async throws {
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
        let actions = QueueActions(
            queue: queue, store: MemoryCaptureStore(time: time.source), ledger: nil, isLedgerKept: false,
            bundles: files, now: time.source)
        let outcome = try await actions.discard(letters, by: "alice")
        #expect(outcome.done == 2)
        #expect(files.asked.withLock { $0 } == [letters[1].id])
    }

    @Test
    func `bytes of discarded captures are told of where some may be left, and not where they went with their jobs`()
        async throws
    {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 4)
        let stores: [BundleStoreName?] = [.filesystem, .redis, nil, .filesystem]
        var letters: [DeadLetter] = []
        for store in stores { letters.append(try await Self.letter(in: queue, &maker, bytesIn: store)) }
        #expect(try await queue.redrive(letters[3].id))
        let files = AwayFiles()
        let actions = QueueActions(
            queue: MemoryOperatedQueue(memory: queue), store: MemoryCaptureStore(time: time.source),
            ledger: nil, isLedgerKept: false, bundles: files, now: time.source)
        let outcome = try await actions.discard(letters, by: "alice")
        #expect(outcome.done == 3 && outcome.missing == [letters[3].id])
        #expect(outcome.leftToSweepMax == 2)
        let asked = files.asked.withLock { $0 }
        #expect(asked == [letters[0].id, letters[2].id])
    }

    /// Like a program without `bundles.directory`, or one that uses no bundles at all.
    @Test(arguments: [true, false])
    func `bytes of discarded captures are told of where their store is not configured`(hasStores: Bool) async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 6)
        var letters: [DeadLetter] = []
        for store in [.filesystem, .redis, .memory] as [BundleStoreName] {
            letters.append(try await Self.letter(in: queue, &maker, bytesIn: store))
        }
        let actions = QueueActions(
            queue: MemoryOperatedQueue(memory: queue), store: MemoryCaptureStore(time: time.source),
            ledger: nil, isLedgerKept: false,
            bundles: hasStores ? BundleStores(primary: MemoryBundleStore()) : nil, now: time.source)
        let outcome = try await actions.discard(letters, by: "alice")
        #expect(outcome.done == 3)
        #expect(outcome.leftToSweepMax == (hasStores ? 1 : 2))
    }

    @Test func `bytes of discarded captures of a directory that does not answer are waited for once`() async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 7)
        var letters: [DeadLetter] = []
        for _ in 0..<3 { letters.append(try await Self.letter(in: queue, &maker, bytesIn: .filesystem)) }
        let files = AwayFiles(QueueError(.outcomeUnknown, "no answer"))
        let actions = QueueActions(
            queue: MemoryOperatedQueue(memory: queue), store: MemoryCaptureStore(time: time.source),
            ledger: nil, isLedgerKept: false, bundles: files, now: time.source)
        let outcome = try await actions.discard(letters, by: "alice")
        #expect(outcome.done == 3 && outcome.leftToSweepMax == 3)
        #expect(files.asked.withLock { $0 } == [letters[0].id])
    }

    /// Under the same id, and with a 202; the queue need not know the capture yet.
    @Test(arguments: [true, false])
    func `bytes of discarded captures stay in files where they come with the bundle sent again`(wereThere: Bool)
        async throws
    {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        let sent = SubmissionMaker.submission(seed: 10, bundleStore: .filesystem)
        let letter = try await Self.bury(sent, in: memory, bytesIn: .filesystem)
        let folder = try await BundleFolder()
        if wereThere {
            try await folder.store.put(BundleFolder.media, of: sent)
            try folder.setBack(sent, by: 60)
        }
        var queue = MemoryOperatedQueue(memory: memory)
        queue.afterDiscard = { _ throws(QueueError) in try await folder.store.put(BundleFolder.media, of: sent) }
        let actions = QueueActions(
            queue: queue, store: MemoryCaptureStore(time: time.source), ledger: nil, isLedgerKept: false,
            bundles: BundleStores(primary: folder.store), now: time.source)
        #expect(try await actions.discard([letter], by: "alice").done == 1)
        #expect(try await folder.store.fetch([sent]) == [.found(BundleFolder.media)])
    }

    @Test func `bytes of discarded captures are removed from files`() async throws {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        let sent = SubmissionMaker.submission(seed: 11, bundleStore: .filesystem)
        let letter = try await Self.bury(sent, in: memory, bytesIn: .filesystem)
        let folder = try await BundleFolder()
        try await folder.store.put(BundleFolder.media, of: sent)
        let actions = QueueActions(
            queue: MemoryOperatedQueue(memory: memory), store: MemoryCaptureStore(time: time.source),
            ledger: nil, isLedgerKept: false, bundles: BundleStores(primary: folder.store), now: time.source)
        let outcome = try await actions.discard([letter], by: "alice")
        #expect(outcome.done == 1 && outcome.leftToSweepMax == 0)
        #expect(try folder.contents().isEmpty)
    }

    /// Whoever sends the bundle again in between may get the same id, and would be answered with 202 for bytes that go.
    @Test func `bytes of discarded captures go before the next is discarded`() async throws {
        let time = ManualTime()
        let memory = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 8)
        let letters = [
            try await Self.letter(in: memory, &maker, bytesIn: .filesystem),
            try await Self.letter(in: memory, &maker, bytesIn: .filesystem),
        ]
        let files = AwayFiles()
        let askedBefore = Mutex<[Int]>([])
        var queue = MemoryOperatedQueue(memory: memory)
        queue.afterDiscard = { _ throws(QueueError) in
            let asked = files.asked.withLock { $0.count }
            askedBefore.withLock { $0.append(asked) }
        }
        let actions = QueueActions(
            queue: queue, store: MemoryCaptureStore(time: time.source), ledger: nil, isLedgerKept: false,
            bundles: files, now: time.source)
        #expect(try await actions.discard(letters, by: "alice").done == 2)
        #expect(askedBefore.withLock { $0 } == [0, 1])
        #expect(files.asked.withLock { $0 } == letters.map(\.id))
    }
}
