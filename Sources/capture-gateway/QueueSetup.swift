import CaptureQueue
import CaptureSettings
import Logging
import RedisCaptureQueue
import RedisClient
import ServerProgram
import ServiceLifecycle
import Waiting

/// Sets Redis up for this release and its configuration.
///
/// The function library, and the limits of the queue, to which every gateway's uploads are held.
struct QueueSetup: Service {
    let queue: RedisCaptureQueue
    let redis: RedisClient
    let logger: Logger

    func run() async throws {
        // No error when it is cancelled instead of stopped: then other services did not stop in their time.
        try await untilStopped {
            try await ServerWait.untilDone(with: "Redis", logger: logger) {
                try await queue.applyLimits()
                // A Redis that took the limits is not full (any more), so that an older library can be replaced.
                _ = try await FunctionLibrary.current.install(on: redis)
            }
            await keep()
        }
    }

    /// The pause between two looks whether Redis has the limits.
    private static let pause = Duration.seconds(2)

    /// Sets the limits again if Redis has lost its data, or somebody has written something else into them: without them
    /// the queue has limits that nobody set, or accepts nothing.
    private func keep() async {
        await again(after: Self.pause) {
            do throws(QueueError) {
                guard try await queue.keepLimits() else { return }
                logger.warning("limits of the queue were missing or damaged in Redis; they are set again")
            } catch {
                // The next look tries again; other services report that Redis is away or another installation's.
            }
        }
    }
}
