import CaptureQueue
import CaptureSettings
import GracefulStop
import Logging
import RedisCaptureQueue
import RedisClient
import ServerProgram
import ServiceLifecycle

/// Sets Redis up as this release and its configuration want it: the limits of the queue, where every gateway's uploads
/// are held to them, and the function library.
struct QueueSetup: Service {
    let queue: RedisCaptureQueue
    let redis: RedisClient
    let logger: Logger

    func run() async throws {
        // Ends without an error when it is cancelled instead: then others have not stopped in their time.
        try await untilStopped {
            try await ServerWait.untilDone(with: "Redis", logger: logger) {
                try await queue.applyLimits()
                // A Redis that took the limits is not full, or not any more: then the older library goes.
                _ = try await FunctionLibrary.current.install(on: redis)
            }
            await keep()
        }
    }

    /// The pause between two looks whether Redis has the limits.
    private static let pause = Duration.seconds(2)

    /// Sets the limits again where Redis has lost its data: without them the queue has those of nobody's settings.
    private func keep() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.pause) } catch { return }
            do throws(QueueError) {
                guard try await queue.keepLimits() else { continue }
                logger.warning("Redis had lost the limits of the queue; they are set again")
            } catch {
                // The next look tries again: that Redis is away, or another's, is told by those who look for that.
                continue
            }
        }
    }
}
