import Dispatch

/// Runs an actor's jobs on a serial queue of its own, so that blocking jobs never hold up the cooperative pool.
///
/// Dispatch gives such a queue a thread whenever it has a job, even if other queues block, as long as fewer than 255 of
/// them do at once. Jobs keep their actor alive, and the actor its executor.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Makes the queue.
    init(name: String) {
        queue = DispatchQueue(label: name)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }
}
