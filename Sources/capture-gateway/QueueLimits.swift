import CaptureSettings
import Logging
import RedisCaptureQueue
import ServiceLifecycle

/// Writes the configured limits of the queue to Redis, where every gateway's uploads are held to them.
struct QueueLimits: Service {
    let queue: RedisCaptureQueue
    let logger: Logger

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                try await ServerWait.untilDone(with: "Redis", logger: logger) { try await queue.applyLimits() }
            }
        } catch is CancellationError {
            return
        }
        try await gracefulShutdown()
    }
}
