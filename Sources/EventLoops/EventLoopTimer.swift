import NIOCore
import NIOPosix

/// Waits on the timers of an event loop.
///
/// For waits that hardly ever last to their end, such as the time limit of an upload: a cancelled `Task.sleep` leaves its
/// timer behind, and each of these wakes a thread twice.
package enum EventLoopTimer {
    /// Returns at a moment, or when the task is cancelled.
    package static func wait(until end: ContinuousClock.Instant) async {
        await wait(for: end - .now)
    }

    /// Returns after a time, or when the task is cancelled.
    package static func wait(for time: Duration) async {
        guard time > .zero, !Task.isCancelled else { return }
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(time)) {}
        await withTaskCancellationHandler {
            // A timer that was cancelled ends with an error, and the wait with it.
            _ = try? await timer.futureResult.get()
        } onCancel: {
            timer.cancel()
        }
    }
}
