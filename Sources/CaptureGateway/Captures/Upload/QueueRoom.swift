import CaptureModel
import CaptureQueue
import Synchronization
import Waiting

/// Whether the queue takes one more capture, asked before an upload's body is read.
///
/// A hint that is a fraction of a second old: the queue itself decides when the capture is enqueued.
final class QueueRoom: Sendable {
    /// How old an answer of the queue may be, counted from when it came.
    private static let freshness: Duration = .milliseconds(250)

    private let queue: any ReadableQueue
    private let now: TimeSource
    private let known = Mutex<(load: QueueLoad, at: Timestamp)?>(nil)
    /// Shared: in a queue of many partitions, the questions of a few uploads at once would fill the connections to Redis.
    private let question = SharedAnswer<Result<QueueLoad, QueueError>>()

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
        if let recent { return recent }
        return try await question.value { await self.answer() }.get()
    }

    /// The last answer, if it is no older than it may be.
    private var recent: QueueLoad? {
        let asked = now()
        return known.withLock { known in
            known.flatMap { (.zero...Self.freshness).contains(asked.since($0.at)) ? $0.load : nil }
        }
    }

    private func answer() async -> Result<QueueLoad, QueueError> {
        // The question before this one may have been answered just now.
        if let recent { return .success(recent) }
        do throws(QueueError) {
            let load = try await queue.load()
            // Not from when it was asked: an answer that takes long would come too old for anybody to use.
            let arrived = now()
            known.withLock { $0 = (load, arrived) }
            return .success(load)
        } catch {
            return .failure(error)
        }
    }
}
