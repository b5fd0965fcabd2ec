import NIOCore
import NIOPosix

/// Runs tasks on the event loops that do their input and output.
///
/// A task goes on where it was woken: on the loop that has read the answer that it waits for. Elsewhere each answer, and
/// each piece of a body, would wake a second thread, which takes longer than most of what tasks do between two answers.
///
/// Long computations belong on `globalConcurrentExecutor`: a loop that computes serves nobody else.
package final class EventLoopExecutor: TaskExecutor {
    /// The executor that a program prefers for its tasks; those of `Task { … }` do not take the preference over.
    package static let shared = EventLoopExecutor()

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        MultiThreadedEventLoopGroup.singleton.any().execute {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
