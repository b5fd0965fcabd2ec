import Dispatch
import Synchronization

/// Stands for the event loops, and counts how often a task comes to them.
final class CountingExecutor: TaskExecutor {
    private let arrivals = Mutex(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        arrivals.withLock { $0 += 1 }
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a body as a task of these loops; `arrivals` counts how often it, or a task of its own, came to them
    /// meanwhile.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> (value: Value, arrivals: Int) {
        await Task(executorPreference: self) { [self] in
            let before = arrivals.withLock { $0 }
            let value = await body()
            return (value, arrivals.withLock { $0 } - before)
        }.value
    }
}
