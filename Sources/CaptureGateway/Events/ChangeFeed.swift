import CaptureModel
import CaptureQueue
import ServiceLifecycle
import Synchronization

/// The latest state changes of all captures, numbered, for every stream of this gateway.
///
/// It hears the queue once, whatever the number of streams, and keeps a bounded number of changes. A stream holds
/// nothing but a place in them: one that reads too slowly finds that its place is gone, and says so to its reader.
final class ChangeFeed: Service {
    /// What comes after a place.
    enum News: Equatable {
        /// These changes, oldest first, and the place after them.
        case changes([StateChange], next: Int)
        /// Changes were missed, or may have been: everything is to be read again, from this place on.
        case gap(next: Int)
    }

    /// What wakes one stream.
    struct Subscription: Sendable {
        fileprivate let number: Int
        fileprivate let continuation: AsyncStream<Void>.Continuation
        let wakeUps: AsyncStream<Void>

        /// Wakes the stream although nothing has changed.
        func wake() { continuation.yield() }

        /// Wakes the stream no more.
        func end() { continuation.finish() }
    }

    private struct Waiter {
        let wakeUps: AsyncStream<Void>.Continuation
        let isDevice: Bool
    }

    private struct State {
        var changes: [StateChange] = []
        /// The place of the first of them.
        var first = 0
        var waiters: [Int: Waiter] = [:]
        /// How many of them are devices.
        var devices = 0
        var lastWaiter = 0

        var next: Int { first + changes.count }
    }

    /// Tells this gateway's places from those of another one and of an earlier start.
    let epoch: String
    private let source: any StateChanges
    private let keptMax: Int
    private let streamsMax: Int
    /// Devices may take three quarters of the places: anybody may register as many devices as they like.
    private var deviceStreamsMax: Int { streamsMax - streamsMax / 4 }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - keptMax: How many changes are kept.
    ///   - streamsMax: How many streams there may be at a time.
    init(source: any StateChanges, epoch: String, keptMax: Int = 4096, streamsMax: Int) {
        self.source = source
        self.epoch = epoch
        self.keptMax = keptMax
        self.streamsMax = streamsMax
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
        for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.wakeUps.finish() }
    }

    /// Takes in a change and wakes the streams.
    func add(_ change: StateChange) {
        let waiters = state.withLock { state in
            state.changes.append(change)
            // In steps, so that not every change moves all the others.
            if state.changes.count >= 2 * keptMax {
                state.first += state.changes.count - keptMax
                state.changes.removeFirst(state.changes.count - keptMax)
            }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.wakeUps.yield() }
    }

    /// Makes every stream find that its place is gone, and wakes it.
    func noteGap() {
        let waiters = state.withLock { state in
            state.first = state.next + 1
            state.changes = []
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.wakeUps.yield() }
    }

    /// The place after the latest change.
    var next: Int { state.withLock { $0.next } }

    /// The place that an event's id names; `nil` when it is another gateway's, or another start's.
    func place(ofEvent id: String) -> Int? {
        let parts = id.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0] == epoch, let place = Int(parts[1]) else { return nil }
        return place
    }

    /// The id of the event after which a reader stands at a place.
    func eventID(_ place: Int) -> String { "\(epoch)-\(place)" }

    /// The changes that came after a place, at most `limit`.
    func news(after place: Int, limit: Int) -> News {
        state.withLock { state in
            guard place >= state.first, place <= state.next else { return .gap(next: state.next) }
            let found = state.changes.dropFirst(place - state.first).prefix(limit)
            return .changes(Array(found), next: place + found.count)
        }
    }

    /// A subscription that wakes its stream for every change, until it is removed; `nil` when there is no place for such
    /// a reader.
    func subscribe(for reader: Reader) -> Subscription? {
        // However many changes come while the stream is busy, it is woken once.
        let (wakeUps, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return state.withLock { state in
            guard !isFull(state, for: reader) else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(wakeUps: continuation, isDevice: reader.isDevice)
            if reader.isDevice { state.devices += 1 }
            return Subscription(number: state.lastWaiter, continuation: continuation, wakeUps: wakeUps)
        }
    }

    /// Ends a subscription, and makes room for another stream.
    func remove(_ subscription: Subscription) {
        state.withLock { state in
            if state.waiters.removeValue(forKey: subscription.number)?.isDevice == true { state.devices -= 1 }
        }
    }

    /// Whether one more stream of such a reader would be refused.
    func isFull(for reader: Reader) -> Bool { state.withLock { isFull($0, for: reader) } }

    private func isFull(_ state: State, for reader: Reader) -> Bool {
        state.waiters.count >= streamsMax || (reader.isDevice && state.devices >= deviceStreamsMax)
    }
}
