import Dispatch
import Foundation
import Synchronization

/// Runs an actor's jobs on one thread of its own, so that what blocks there never holds up the cooperative pool.
///
/// The thread ends when the executor is released. Jobs keep their actor, and the actor its executor, alive: none can
/// come afterwards.
final class ThreadExecutor: SerialExecutor {
    /// What thread and executor share.
    ///
    /// The thread must not own the executor, or neither would ever end.
    private final class Inbox: Sendable {
        struct State {
            var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
            var isClosed = false
        }

        let state = Mutex(State())
        // A semaphore, because a bare thread cannot `await`: it is how the executor wakes its thread, and only that
        // thread waits on it.
        let signal = DispatchSemaphore(value: 0)

        /// Everything that is waiting, in order; `nil` when the executor is gone.
        func next() -> [(job: UnownedJob, executor: ThreadExecutor)]? {
            // Blocks the connection's own thread, never one of the cooperative pool's: to be blocked is what it is for.
            signal.wait()
            return state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs.isEmpty && state.isClosed ? nil : state.jobs
            }
        }
    }

    private let inbox = Inbox()

    /// Starts the thread.
    init(name: String) {
        let inbox = inbox
        let thread = Thread {
            while let batch = inbox.next() {
                for (job, executor) in batch {
                    unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor())
                }
            }
        }
        thread.name = name
        thread.start()
    }

    deinit {
        inbox.state.withLock { $0.isClosed = true }
        inbox.signal.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        inbox.state.withLock { $0.jobs.append((job, self)) }
        inbox.signal.signal()
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }
}
