import NIOCore
import NIOPosix

/// Runs a body on an event loop after a time, unless it is stopped before.
///
/// For waits that hardly ever last to their end, such as the time limit of an upload: a cancelled `Task.sleep` leaves its
/// timer behind, and each of these wakes a thread twice.
package struct EventLoopTimer: Sendable {
    private let scheduled: Scheduled<Void>

    /// Starts the timer.
    /// - Parameter body: Must not block: meanwhile the loop serves nobody else.
    package init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        scheduled = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(time), body)
    }

    /// Stops the timer and lets go of its body, which may have run already, or be running.
    package func stop() {
        scheduled.cancel()
    }

    /// Returns at a moment, or when the task is cancelled.
    package static func wait(until deadline: ContinuousClock.Instant) async {
        await wait(for: deadline - .now)
    }

    /// Returns after a time, or when the task is cancelled.
    package static func wait(for time: Duration) async {
        guard time > .zero, !Task.isCancelled else { return }
        let timer = EventLoopTimer(after: time) {}
        await withTaskCancellationHandler {
            // A timer that was stopped ends with an error, and the wait with it.
            _ = try? await timer.scheduled.futureResult.get()
        } onCancel: {
            timer.stop()
        }
    }
}
