package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// How often a capture that waits or is worked was delivered to workers that did not come back.
    package struct Deliveries: Sendable, Equatable {
        /// The number, including the delivery to the present worker.
        package let count: Int
        /// How likely it is to have crashed a worker, and so with which captures it is worked.
        package let suspicion: Suspicion
    }

    /// The deliveries of a capture; `nil` when it has no job, or is a dead letter, which has its own count.
    package func deliveries(of capture: CaptureID) async throws(QueueError) -> Deliveries? {
        let fields = ["state", "takeovers", "suspect"]
        // The device tells the partition, a capture's id does not: ask all of them.
        let replies = try await queue.send(
            queue.keyspace.all.map { keys in
                RedisCommand("HMGET", [.string(keys.job(capture))] + fields.map { .string($0) })
            })
        for reply in replies {
            let job = JobFields(names: fields, values: (reply.array ?? [])[...])
            guard let state = job.text("state").flatMap(CaptureState.init(rawValue:)) else { continue }
            guard state.isWaiting else { return nil }
            let lost = max(0, job.text("takeovers").flatMap { Int($0) } ?? 0)
            return Deliveries(count: lost.addingClamped(state == .processing ? 1 : 0), suspicion: job.suspicion)
        }
        return nil
    }
}
