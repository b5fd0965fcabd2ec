import CaptureQueue
import RedisCaptureQueue
import ServiceLifecycle

/// Writes the configured limits of the queue to Redis, where every gateway's uploads are held to them.
struct QueueLimits: Service {
    let queue: RedisCaptureQueue

    func run() async throws {
        try await queue.applyLimits()
        try await gracefulShutdown()
    }
}
