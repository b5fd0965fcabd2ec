import Dispatch

/// Runs an actor's jobs on a serial queue of its own, so that what blocks there never holds up the cooperative pool.
///
/// Dispatch gives such a queue a thread whenever it has something to do, whatever blocks elsewhere, as long as fewer
/// than 255 of them do at once. Jobs keep their actor, and the actor its executor, alive.
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
