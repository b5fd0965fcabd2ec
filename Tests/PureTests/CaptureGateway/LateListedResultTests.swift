import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A capture that is settled while it is listed` {
    /// A record that says which results it was asked for, one question after the other.
    private final class AskedStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let asked = Mutex<[[CaptureID]]>([])

        init(time: ManualTime) { memory = MemoryCaptureStore(time: time.source) }

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            // About no captures PostgreSQL is not asked.
            if !captures.isEmpty { asked.withLock { $0.append(captures) } }
            return try await memory.results(of: captures)
        }
    }

    /// Tells the queue that its only capture is settled.
    private static func settle(_ capture: CaptureSubmission, in queue: MemoryCaptureQueue) async throws {
        let lease = try #require(
            try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
        _ = try await queue.settle([
            LaneSettlement(
                token: lease.token, device: lease.device,
                items: [.init(id: capture.id, disposition: .settled(.rejected(.deviceUnknown)))],
                continuation: .ready)
        ])
    }

    /// The list finds two open rows; one of them has its result by the time the queue is asked.
    @Test func `a capture that is settled meanwhile is listed with what the record says of it, by one more question`()
        async throws
    {
        let time = ManualTime()
        let (store, queue) = (AskedStore(time: time), MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 1)
        let settled = maker.submission(of: maker.device())
        let waiting = maker.submission(of: maker.device())
        let rows = [settled, waiting].map {
            ArchivedCapture(id: $0.id, device: $0.device, receivedAt: time.now, result: nil)
        }
        let listing = CaptureListing(archive: ListedArchive(captures: rows), queue: queue, store: store)

        #expect(try await queue.enqueue(settled) == .accepted)
        time.advance(by: .seconds(2))
        _ = try await store.settle([ExaminedCapture.ofNobody(settled, at: time.now)], policy: .strict)
        try await Self.settle(settled, in: queue)
        #expect(try await queue.enqueue(waiting) == .accepted)

        let page = try await listing.page(ListingQuery())
        #expect(page.captures.map(\.id) == [settled.id, waiting.id])
        let line = page.captures[0]
        #expect(line.state == .rejected && line.reason == .deviceUnknown && line.receivedAt == rows[0].receivedAt)
        #expect(line.result?.confidence == Confidence.none && line.result?.verifiedAt == time.now)
        #expect(page.captures[1].state == .queued && page.captures[1].result == nil)
        #expect(store.asked.withLock { $0 } == [[settled.id]])
    }

    @Test func `a capture that is settled meanwhile costs the record no question where none is`() async throws {
        let time = ManualTime()
        let (store, queue) = (AskedStore(time: time), MemoryCaptureQueue(time: time.source))
        let waiting = SubmissionMaker.submission(seed: 2)
        let row = ArchivedCapture(id: waiting.id, device: waiting.device, receivedAt: time.now, result: nil)
        let listing = CaptureListing(archive: ListedArchive(captures: [row]), queue: queue, store: store)
        #expect(try await queue.enqueue(waiting) == .accepted)
        #expect(try await listing.page(ListingQuery()).captures.map(\.state) == [.queued])
        #expect(store.asked.withLock { $0 }.isEmpty)
    }

    /// The record has lost the result, or somebody has written to Redis.
    @Test func `a capture that is settled by the queue's word alone is in no list`() async throws {
        let time = ManualTime()
        let (store, queue) = (AskedStore(time: time), MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 3)
        let (lost, waiting) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
        let rows = [lost, waiting].map {
            ArchivedCapture(id: $0.id, device: $0.device, receivedAt: time.now, result: nil)
        }
        let listing = CaptureListing(archive: ListedArchive(captures: rows), queue: queue, store: store)
        #expect(try await queue.enqueue(lost) == .accepted)
        try await Self.settle(lost, in: queue)
        #expect(try await queue.enqueue(waiting) == .accepted)
        #expect(try await listing.page(ListingQuery()).captures.map(\.id) == [waiting.id])
    }

    /// The queue knows one capture of each id: the one that was handed off first.
    @Test func `a capture is listed as queued where the queue's word is of another device's with the same id`()
        async throws
    {
        let time = ManualTime()
        let (store, queue) = (AskedStore(time: time), MemoryCaptureQueue(time: time.source))
        var maker = SubmissionMaker(seed: 4)
        let settled = maker.submission(of: maker.device())
        let row = ArchivedCapture(id: settled.id, device: maker.device(), receivedAt: time.now, result: nil)
        let listing = CaptureListing(archive: ListedArchive(captures: [row]), queue: queue, store: store)
        #expect(try await queue.enqueue(settled) == .accepted)
        try await Self.settle(settled, in: queue)
        let page = try await listing.page(ListingQuery())
        #expect(page.captures.map(\.state) == [.queued] && page.captures.first?.device == row.device)
        #expect(store.asked.withLock { $0 }.isEmpty)
    }
}
