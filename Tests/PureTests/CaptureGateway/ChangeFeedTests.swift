import CaptureInspection
import CaptureModel
import CaptureQueue
import FoundationEssentials
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite struct `The feed of changes` {
    private static func change() -> StateChange {
        StateChange(capture: CaptureID(UUID()), device: DeviceID(UUID()), news: .state(.queued))
    }

    @Test func `the feed of changes tells what came after a place, and that it has it no more`() {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", keptMax: 4, streamsMax: 1)
        let start = feed.next
        #expect(feed.changes(after: start, limit: 10) == .changes([], next: 0))
        let changes = (0..<6).map { _ in Self.change() }
        for change in changes { feed.add(change) }
        #expect(feed.changes(after: 0, limit: 4) == .changes(Array(changes[0..<4]), next: 4))
        #expect(feed.changes(after: 4, limit: 4) == .changes(Array(changes[4...]), next: 6))
        // The eighth one is more than twice what is kept: only the last four stay.
        for _ in 0..<2 { feed.add(Self.change()) }
        #expect(feed.changes(after: 3, limit: 10) == .gap(next: 8))
        guard case .changes(let kept, 8) = feed.changes(after: 4, limit: 10) else {
            Issue.record("what is kept is there")
            return
        }
        #expect(kept.count == 4)
        #expect(feed.changes(after: 9, limit: 10) == .gap(next: 8), "a place that has not been")
    }

    @Test func `the feed of changes knows its own events only`() {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab12", streamsMax: 1)
        #expect(feed.place(ofEvent: feed.eventID(17)) == 17)
        for id in ["", "17", "cd34-17", "ab12-", "ab12-x", "-1"] { #expect(feed.place(ofEvent: id) == nil) }
    }

    @Test func `the feed of changes begins a stream at the very place that its hello names`() throws {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab12", streamsMax: 1)
        for _ in 0..<3 { feed.add(Self.change()) }
        let start = StreamStart(after: nil, in: feed)
        feed.add(Self.change())
        #expect(start.place == 3)
        #expect(start.first == [.event(name: "hello", id: feed.eventID(3), data: "{}")])
        let again = StreamStart(after: feed.eventID(2), in: feed)
        #expect(again.place == 2 && again.first.isEmpty)
        let others = StreamStart(after: "cd34-2", in: feed)
        #expect(others.first.isEmpty)
        #expect(feed.changes(after: others.place, limit: 1) == .gap(next: 4))
    }

    @Test func `the feed of changes wakes every stream, and has room for so many`() async throws {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 1)
        let subscription = try #require(feed.subscribe(for: .readToken))
        #expect(feed.isFull(for: .readToken) && feed.subscribe(for: .readToken) == nil)
        for _ in 0..<3 { feed.add(Self.change()) }
        #expect(await feed.untilWoken(subscription))
        feed.remove(subscription)
        #expect(!feed.isFull(for: .readToken) && feed.subscribe(for: .readToken) != nil)
    }

    @Test func `the feed of changes keeps a quarter of the places from devices`() {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 8)
        let subscriptions = (0..<6).compactMap { _ in feed.subscribe(for: .device(DeviceID(UUID()))) }
        #expect(subscriptions.count == 6)
        let late = Reader.device(DeviceID(UUID()))
        #expect(feed.isFull(for: late) && feed.subscribe(for: late) == nil)
        #expect(feed.subscribe(for: .readToken) != nil && feed.subscribe(for: .operatorToken) != nil)
        #expect(feed.isFull(for: .readToken))
        // A place that is given back is free for either.
        feed.remove(subscriptions[0])
        feed.remove(subscriptions[0])
        #expect(feed.subscribe(for: late) != nil && feed.isFull(for: late))
    }

    /// A queue whose subscription is lost when a test says so.
    private final class LossyChanges: StateChanges {
        private let listener = Mutex<AsyncStream<StateChange>.Continuation?>(nil)

        func changes(of capture: CaptureID) -> AsyncStream<StateChange>? { nil }

        func allChanges() -> AsyncStream<StateChange>? {
            let (stream, continuation) = AsyncStream<StateChange>.makeStream()
            listener.withLock { $0 = continuation }
            return stream
        }

        func tell(_ change: StateChange) { listener.withLock { $0 }?.yield(change) }
        func lose() { listener.withLock { $0 }?.finish() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `what the queue may have missed is a gap to everybody, and wakes them`() async throws {
        let source = LossyChanges()
        let feed = ChangeFeed(source: source, epoch: "ab", streamsMax: 1)
        let running = Task { try await feed.run() }
        try await eventually { feed.next == 1 }
        let subscription = try #require(feed.subscribe(for: .readToken))
        let (heard, later) = (Self.change(), Self.change())
        source.tell(heard)
        #expect(await feed.untilWoken(subscription))
        #expect(feed.changes(after: 1, limit: 10) == .changes([heard], next: 2))
        source.lose()
        #expect(await feed.untilWoken(subscription))
        for place in 0...2 { #expect(feed.changes(after: place, limit: 10) == .gap(next: 3)) }
        source.tell(later)
        #expect(await feed.untilWoken(subscription))
        #expect(feed.changes(after: 3, limit: 10) == .changes([later], next: 4))
        running.cancel()
        try await running.value
    }

    @Test func `a capture's stream looks at changes of its own, behind a gap, and now and then whatever others do`() {
        let feed = ChangeFeed(source: NoStateChanges(), epoch: "ab", streamsMax: 1)
        let (own, time) = (Self.change(), ManualTime())
        let looks = StatusLooks(at: own.capture, feed: feed, interval: .seconds(5)) { time.monotonic }
        feed.add(Self.change())
        #expect(looks.isDue(), "at once, whoever else has news")
        feed.add(Self.change())
        #expect(!looks.isDue())
        feed.add(own)
        #expect(looks.isDue())
        feed.noteGap()
        #expect(looks.isDue())
        // Its own change was missed, and the others' never end.
        for _ in 0..<4 {
            time.advance(by: .seconds(1))
            feed.add(Self.change())
            #expect(!looks.isDue())
        }
        time.advance(by: .seconds(1))
        feed.add(Self.change())
        #expect(looks.isDue())
    }

    @Test func `an event is written as the standard says`() {
        #expect(
            EventStream.Item.event(name: "changes", id: "ab-1", data: "{}").text
                == "event: changes\nid: ab-1\ndata: {}\n\n")
        #expect(EventStream.Item.comment.text == ":\n\n")
    }

    @Test func `a depth map becomes a bitmap of its size, near bright and far dark`() throws {
        let dimensions = try #require(DepthDimensions(width: 3, height: 2))
        let values: [Float] = [1, 2, 3, .nan, 0, 1]
        let bytes = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        let map = try DepthDecoder().decode(bytes.span, dimensions: dimensions)
        let picture = Array(HeatMap(map).picture.readableBytesView)
        #expect(picture.prefix(2) == [0x42, 0x4D] && picture.count == 1078 + 8)
        // Lines come from the bottom up, each filled up to four bytes.
        #expect(picture.suffix(8) == [0, 0, 255, 0, 255, 128, 1, 0])
    }
}
