import CaptureModel
import CaptureQueue
import Synchronization

/// Those who wait for state changes; a change goes to the watchers of its capture and to those of all.
final class Watchers: Sendable {
    private struct Guarded {
        var count = 0
        var nextNumber = 0
        var all: [Int: AsyncStream<StateChange>.Continuation] = [:]
        var byCapture: [CaptureID: [Int: AsyncStream<StateChange>.Continuation]] = [:]
    }

    private let guarded = Mutex(Guarded())
    private let watchersMax: Int
    private let bufferMax: Int

    /// - Parameters:
    ///   - watchersMax: How many there may be at a time.
    ///   - bufferMax: How many changes wait for a watcher of all; the oldest are dropped.
    init(watchersMax: Int, bufferMax: Int) {
        self.watchersMax = watchersMax
        self.bufferMax = bufferMax
    }

    /// How many there are.
    var count: Int { guarded.withLock { $0.count } }

    /// A new watcher of one capture, or of all.
    func add(_ capture: CaptureID?) -> AsyncStream<StateChange>? {
        // A capture has few states, and only the newest ones matter.
        let (stream, continuation) = AsyncStream<StateChange>.makeStream(
            bufferingPolicy: .bufferingNewest(capture == nil ? bufferMax : 4)
        )
        let number: Int? = guarded.withLock { guarded in
            guard guarded.count < watchersMax else { return nil }
            guarded.count += 1
            guarded.nextNumber += 1
            if let capture {
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
    func tell(_ change: StateChange) {
        let concerned = guarded.withLock { guarded in
            Array(guarded.all.values) + Array(guarded.byCapture[change.capture, default: [:]].values)
        }
        for continuation in concerned { continuation.yield(change) }
    }

    /// Ends the watching of single captures: changes may have been missed.
    func finishWaits() {
        let waiting = guarded.withLock { $0.byCapture.values.flatMap(\.values) }
        for continuation in waiting { continuation.finish() }
    }

    /// Ends all watching: the process stops.
    func finish() {
        let all = guarded.withLock { guarded in
            Array(guarded.all.values) + guarded.byCapture.values.flatMap(\.values)
        }
        for continuation in all { continuation.finish() }
    }

    private func remove(_ number: Int, _ capture: CaptureID?) {
        guarded.withLock { guarded in
            guarded.count -= 1
            guard let capture else {
                guarded.all[number] = nil
                return
            }
            guarded.byCapture[capture]?[number] = nil
            if guarded.byCapture[capture]?.isEmpty == true { guarded.byCapture[capture] = nil }
        }
    }
}
