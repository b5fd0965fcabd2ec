import CaptureModel
import CaptureQueue
import Synchronization

/// Whether the queue takes one more capture, asked before an upload's body is read.
///
/// A hint that is a fraction of a second old: the queue itself decides when the capture is enqueued.
final class QueueRoom: Sendable {
    /// How old an answer of the queue may be.
    private static let freshness: Duration = .milliseconds(250)

    private let queue: any ReadableQueue
    private let now: TimeSource
    private let known = Mutex<(load: QueueLoad, at: Timestamp)?>(nil)

    init(queue: any ReadableQueue, now: @escaping TimeSource) {
        self.queue = queue
        self.now = now
    }

    /// Lets an upload pass.
    ///
    /// A queue that refuses to tell may take the capture all the same, as when a key is damaged that no upload needs.
    /// - Throws: `QUEUE_FULL`, or `UNAVAILABLE` when the queue does not answer.
    func admit(bytes: Int) async throws(APIError) {
        do throws(QueueError) {
            guard try await load().isFull(adding: bytes) else { return }
        } catch let error where error.code == .refused {
            return
        } catch {
            throw .unavailable(error)
        }
        throw .queueFull
    }

    private func load() async throws(QueueError) -> QueueLoad {
        let asked = now()
        let recent = known.withLock { known in
            known.flatMap { (.zero...Self.freshness).contains(asked.since($0.at)) ? $0.load : nil }
        }
        if let recent { return recent }
        let load = try await queue.load()
        known.withLock { $0 = (load, asked) }
        return load
    }
}
