import CaptureModel
import Latch
import Logging
import ServiceLifecycle

/// Says that the gateway takes requests, and of one that did, at the end, that nothing of it runs any more.
struct Announcement: Service {
    /// What is open once requests are taken.
    let latches: [Latch]
    let logger: Logger

    func run() async throws {
        var wasReady = false
        do {
            try await cancelWhenGracefulShutdown {
                for latch in latches { try await latch.pass() }
                logger.notice("gateway is ready", metadata: ["version": "\(ProcessorVersion.current)"])
            }
            wasReady = true
            try await gracefulShutdown()
        } catch is CancellationError {
            // Ended without an error when it was cancelled instead: then others have not stopped in their time.
            guard wasReady, !Task.isCancelled else { return }
        }
        logger.info("gateway has stopped")
    }
}
