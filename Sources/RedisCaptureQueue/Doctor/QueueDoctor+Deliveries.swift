package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How often a capture that waits or is worked was delivered, as far as its workers did not come back.
    package struct Deliveries: Sendable, Equatable {
        /// The number, that of the worker that has it included.
        package let count: Int
        /// Whether it may have taken a worker down, and what it is worked with for that.
        package let suspicion: Suspicion
    }

    /// The deliveries of a capture; `nil` where it has no job, or is a dead letter, which tells its own.
    package func deliveries(of capture: CaptureID) async throws(QueueError) -> Deliveries? {
        let fields = ["state", "takeovers", "suspect"]
        // A capture does not say in which partition it is: its device does.
        let replies = try await queue.send(
            queue.keyspace.all.map { keys in
                RedisCommand("HMGET", [.string(keys.job(capture))] + fields.map { .string($0) })
            })
        for reply in replies {
            let job = JobFields(names: fields, values: (reply.array ?? [])[...])
            guard let state = job.text("state").flatMap(CaptureState.init(rawValue:)) else { continue }
            guard !state.isTerminal else { return nil }
            let lost = max(0, job.text("takeovers").flatMap { Int($0) } ?? 0)
            return Deliveries(count: lost.addingClamped(state == .processing ? 1 : 0), suspicion: job.suspicion)
        }
        return nil
    }
}
