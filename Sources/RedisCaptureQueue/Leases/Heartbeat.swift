import Logging
import NIOCore
import RedisClient
import Synchronization

/// One round of renewals after the other, on an event loop only.
final class Heartbeat: Sendable {
    private let queue: RedisCaptureQueue
    private let client: RedisClient
    private let logger: Logger
    private let isFailing = Mutex(false)

    init(queue: RedisCaptureQueue, client: RedisClient, logger: Logger) {
        self.queue = queue
        self.client = client
        self.logger = logger
    }

    /// Renews what is due.
    func beat() {
        let renewals = RenewalBatch.due(
            of: queue.leases, keyspace: queue.keyspace, consumer: queue.consumer, logger: logger)
        for renewal in renewals {
            client.sendFuture(renewal.command).whenComplete { self.finish(renewal, $0) }
        }
    }

    private func finish(_ renewal: RenewalBatch, _ result: Result<RedisValue, any Error>) {
        switch result {
        case .success(let reply):
            note(failing: false, "leases are renewed again")
            let lost = renewal.lost(in: reply)
            guard !lost.isEmpty else { return }
            queue.leases.markLost(lost)
            logger.warning("leases were lost to other workers", metadata: ["count": "\(lost.count)"])
        case .failure(let error):
            // The functions are gone, as after a restart without data: the next beat finds them.
            if let error = error as? RedisError, error.message.contains("Function not found") {
                client.sendFuture(FunctionLibrary.current.loadCommand).whenFailure { _ in }
            }
            // A server that is away is the worker's to tell.
            if (error as? RedisError)?.isTransient == true { return }
            note(failing: true, "leases are not renewed: \(error)")
        }
    }

    /// One line for each change, not for each beat.
    private func note(failing: Bool, _ message: String) {
        let changed = isFailing.withLock { isFailing in
            defer { isFailing = failing }
            return isFailing != failing
        }
        if changed { logger.log(level: failing ? .warning : .notice, "\(message)") }
    }
}
