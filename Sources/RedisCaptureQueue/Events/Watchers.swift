import CaptureModel
import CaptureQueue
import Synchronization

/// Those who wait for state changes; a change goes to the watchers of its capture and to the one of all.
///
/// The one of all has a place of its own: however many wait for a capture each, the others hear of every change.
final class Watchers: Sendable {
    private struct Guarded {
        /// How many watch a capture each.
        var count = 0
        var nextNumber = 0
        var all: [Int: AsyncStream<StateChange>.Continuation] = [:]
        var byCapture: [CaptureID: [Int: AsyncStream<StateChange>.Continuation]] = [:]
    }

    private let guarded = Mutex(Guarded())
    private let watchersMax: Int
    private let bufferMax: Int

    /// - Parameters:
    ///   - watchersMax: How many may watch a capture each at a time.
    ///   - bufferMax: How many changes wait for a watcher of all; one that is slower is told that it has missed some.
    init(watchersMax: Int, bufferMax: Int) {
        self.watchersMax = watchersMax
        self.bufferMax = bufferMax
    }

    /// A new watcher of one capture, or of all.
    func add(_ capture: CaptureID?) -> AsyncStream<StateChange>? {
        // A capture has few states, and only the newest ones matter.
        let (stream, continuation) = AsyncStream<StateChange>.makeStream(
            bufferingPolicy: .bufferingNewest(capture == nil ? bufferMax : 4)
        )
        let number: Int? = guarded.withLock { guarded in
            guard capture == nil ? guarded.all.isEmpty : guarded.count < watchersMax else { return nil }
            guarded.nextNumber += 1
            if let capture {
                guarded.count += 1
                guarded.byCapture[capture, default: [:]][guarded.nextNumber] = continuation
            } else {
                guarded.all[guarded.nextNumber] = continuation
            }
            return guarded.nextNumber
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(number, capture) }
        return stream
    }

    /// Tells those whom it concerns.
    ///
    /// A watcher of all that has no room for it has missed the oldest: its stream ends after those that it still has.
    func tell(_ change: StateChange) {
        let (all, waiting) = guarded.withLock { guarded in
            (Array(guarded.all.values), Array(guarded.byCapture[change.capture, default: [:]].values))
        }
        for continuation in all {
            if case .dropped = continuation.yield(change) { continuation.finish() }
        }
        for continuation in waiting { continuation.yield(change) }
    }

    /// Ends all watching: changes may have been missed, or the process stops.
    ///
    /// Their places are free before they hear of it: who watches again at once finds one.
    func finish() {
        let all = guarded.withLock { guarded in
            defer {
                guarded.all = [:]
                guarded.byCapture = [:]
                guarded.count = 0
            }
            return Array(guarded.all.values) + guarded.byCapture.values.flatMap(\.values)
        }
        for continuation in all { continuation.finish() }
    }

    /// Frees a watcher's place; one that ``finish()`` has ended has none any more.
    private func remove(_ number: Int, _ capture: CaptureID?) {
        guarded.withLock { guarded in
            guard let capture else {
                guarded.all[number] = nil
                return
            }
            if guarded.byCapture[capture]?.removeValue(forKey: number) != nil { guarded.count -= 1 }
            if guarded.byCapture[capture]?.isEmpty == true { guarded.byCapture[capture] = nil }
        }
    }
}
