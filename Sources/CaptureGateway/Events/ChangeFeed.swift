import CaptureQueue
import ServiceLifecycle
import Synchronization

/// The latest state changes of all captures, numbered, for every stream of this gateway.
///
/// It hears the queue once, whatever the number of streams, and keeps a bounded number of changes. A stream holds
/// nothing but a place in them: one that reads too slowly finds that its place is gone, and says so to its reader.
final class ChangeFeed: Service {
    /// What wakes one stream.
    struct Subscription: Sendable {
        fileprivate let number: Int
        fileprivate let continuation: AsyncStream<Void>.Continuation
        fileprivate let wakeUps: AsyncStream<Void>

        /// Wakes the stream although nothing has changed.
        func wake() { continuation.yield() }

        /// Wakes the stream no more.
        func end() { continuation.finish() }
    }

    private struct State {
        var kept: KeptChanges
        var streams: OpenStreams
    }

    /// Tells this gateway's places from those of another one and of an earlier start.
    let epoch: String
    private let source: any StateChanges
    private let state: Mutex<State>

    /// - Parameters:
    ///   - keptMax: How many changes are kept.
    ///   - streamsMax: How many streams there may be at a time.
    ///   - write: Writes a change as an element of a JSON array.
    init(
        source: any StateChanges, epoch: String, keptMax: Int = 4096, streamsMax: Int,
        write: @escaping @Sendable (StateChange) -> String = { $0.eventText }
    ) {
        self.source = source
        self.epoch = epoch
        state = Mutex(
            State(kept: KeptChanges(keptMax: keptMax, write: write), streams: OpenStreams(streamsMax: streamsMax)))
    }

    /// Listens until graceful shutdown; if the queue's changes are being heard by another listener, it asks again.
    ///
    /// The queue ends its changes when it may have missed one: then every stream gets a gap.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                var pause: Duration = .milliseconds(200)
                if let changes = self.source.allChanges() {
                    // Only after the changes are being heard, so that none falls between.
                    self.noteGap()
                    for await change in changes { self.add(change) }
                    pause = .milliseconds(10)
                }
                // Cancellation ends the wait, and the loop with it.
                try? await Task.sleep(for: pause)
            }
        }
        for wakeUps in state.withLock({ $0.streams.all }) { wakeUps.finish() }
    }

    /// Takes in a change and wakes the streams that sleep.
    func add(_ change: StateChange) { news { $0.add(change) } }

    /// Makes every stream find that its place is gone, and wakes it.
    func noteGap() { news { $0.forgetAll() } }

    private func news(_ change: (inout KeptChanges) -> Void) {
        let asleep = state.withLock { state in
            change(&state.kept)
            return state.streams.takeAsleep()
        }
        for wakeUps in asleep { wakeUps.yield() }
    }

    /// The place after the latest change.
    var next: Int { state.withLock { $0.kept.next } }

    /// The place that an event's id names; `nil` when it is another gateway's, or another start's.
    func place(ofEvent id: String) -> Int? {
        let parts = id.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0] == epoch, let place = Int(parts[1]) else { return nil }
        return place
    }

    /// The id of the event after which a reader stands at a place.
    func eventID(_ place: Int) -> String { "\(epoch)-\(place)" }

    /// The changes that came after a place, at most `limit`.
    func changes(after place: Int, limit: Int) -> KeptChanges.News<[StateChange]> {
        state.withLock { $0.kept.changes(after: place, limit: limit) }
    }

    /// The same as the elements of a JSON array.
    func text(after place: Int, limit: Int) -> KeptChanges.News<String> {
        state.withLock { $0.kept.text(after: place, limit: limit) }
    }

    // MARK: Streams

    /// A subscription that wakes its stream for changes, until it is removed; `nil` when there is no place for such a
    /// reader.
    func subscribe(for reader: Reader) -> Subscription? {
        // However often it is woken while it is busy, it finds one wake-up.
        let (wakeUps, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let number = state.withLock({ $0.streams.add(continuation, for: reader) }) else { return nil }
        return Subscription(number: number, continuation: continuation, wakeUps: wakeUps)
    }

    /// Waits until a stream is woken, which then has to look; `false` when it is to end.
    ///
    /// Changes that come from then on wake it again, even while it looks.
    func untilWoken(_ subscription: Subscription) async -> Bool {
        var wakeUps = subscription.wakeUps.makeAsyncIterator()
        guard await wakeUps.next() != nil else { return false }
        state.withLock { $0.streams.looks(subscription.number) }
        return true
    }

    /// Ends a subscription, and makes room for another stream.
    func remove(_ subscription: Subscription) { state.withLock { $0.streams.remove(subscription.number) } }

    /// Whether one more stream of such a reader would be refused.
    func isFull(for reader: Reader) -> Bool { state.withLock { $0.streams.isFull(for: reader) } }
}
