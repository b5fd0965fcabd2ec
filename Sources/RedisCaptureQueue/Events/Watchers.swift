import CaptureModel
import CaptureQueue
import Synchronization

/// The listeners for state changes: watchers of one capture each, and one watcher of all captures.
///
/// The watcher of all has a place of its own, however many watchers of one capture there are.
final class Watchers: Sendable {
    private struct Guarded {
        /// The number of watchers of one capture.
        var count = 0
        var nextNumber = 0
        var all: [Int: AsyncStream<StateChange>.Continuation] = [:]
        var byCapture: [CaptureID: [Int: AsyncStream<StateChange>.Continuation]] = [:]
    }

    private let guarded = Mutex(Guarded())
    private let watchersMax: Int
    private let bufferMax: Int

    /// - Parameters:
    ///   - watchersMax: The most watchers of one capture at a time.
    ///   - bufferMax: How many changes wait for the watcher of all; if there are more, its stream ends.
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

    /// Passes a change to the watchers of its capture and to the watcher of all.
    ///
    /// If the buffer of the watcher of all is full, the oldest change is lost: its stream ends after the kept ones.
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
    /// Their places are freed before their streams end, so that a watcher can subscribe again at once.
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

    /// Frees a watcher's place, unless ``finish()`` has freed it already.
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
