import CaptureModel
import CaptureQueue
import Synchronization

/// News that a test tells by hand, and knows when somebody listens.
final class MemoryStateChanges: StateChanges {
    private let watchers = Mutex<[CaptureID: [AsyncStream<StateChange>.Continuation]]>([:])
    private let hearers = Mutex<[AsyncStream<StateChange>.Continuation]>([])
    private let listening: AsyncStream<CaptureID>
    private let listened: AsyncStream<CaptureID>.Continuation

    init() {
        (listening, listened) = AsyncStream.makeStream()
    }

    func changes(of capture: CaptureID) -> AsyncStream<StateChange>? {
        let (stream, continuation) = AsyncStream<StateChange>.makeStream()
        watchers.withLock { $0[capture, default: []].append(continuation) }
        listened.yield(capture)
        return stream
    }

    func allChanges() -> AsyncStream<StateChange>? {
        let (stream, continuation) = AsyncStream<StateChange>.makeStream()
        hearers.withLock { $0.append(continuation) }
        return stream
    }

    /// Whether somebody hears all changes.
    var isHeard: Bool { hearers.withLock { !$0.isEmpty } }

    /// Returns when somebody watches the capture.
    func untilWatched(_ capture: CaptureID) async {
        for await watched in listening where watched == capture { return }
    }

    func tell(_ change: StateChange) {
        let told = watchers.withLock { $0[change.capture] ?? [] }
        for watcher in told + hearers.withLock({ $0 }) { watcher.yield(change) }
    }
}
