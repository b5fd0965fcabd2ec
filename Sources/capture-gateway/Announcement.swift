import CaptureModel
import Logging
import ServiceLifecycle
import Waiting

/// Logs that the gateway takes requests, and at the end, if it did, that it has stopped.
struct Announcement: Service {
    /// What is open once requests are taken.
    let latches: [Latch]
    let logger: Logger

    func run() async throws {
        var wasReady = false
        do {
            try await cancelWhenGracefulShutdown {
                for latch in latches { try await latch.waitUntilOpen() }
                logger.notice("gateway is ready", metadata: ["version": "\(ProcessorVersion.current)"])
            }
            wasReady = true
            try await gracefulShutdown()
        } catch is CancellationError {
            // No error when it was cancelled instead of stopped: then other services did not stop in their time.
            guard wasReady, !Task.isCancelled else { return }
        }
        logger.info("gateway has stopped")
    }
}
