import CaptureModel
import Logging
import NIOCore
import RedisClient
import Synchronization

/// One round of renewals after the other, on an event loop only, and a sign of life with some of them.
final class Heartbeat: Sendable {
    private let queue: RedisCaptureQueue
    private let client: RedisClient
    private let logger: Logger
    private let startedAt: Timestamp
    private let isFailing = Mutex(false)
    private let nextSign = Mutex(NIODeadline.distantPast)
    /// Far more often than after ``WorkerStatus/silenceMax``, and seldom enough to cost nothing.
    private static let signInterval: TimeAmount = .seconds(3)

    init(queue: RedisCaptureQueue, client: RedisClient, startedAt: Timestamp, logger: Logger) {
        self.queue = queue
        self.client = client
        self.startedAt = startedAt
        self.logger = logger
    }

    /// Renews what is due.
    func beat() {
        giveSign()
        for renewal in queue.renewLeases(over: client, logger: logger) { renewal.whenComplete { self.finish($0) } }
    }

    private func giveSign() {
        let isDue = nextSign.withLock { nextSign in
            let now = NIODeadline.now()
            guard now >= nextSign else { return false }
            nextSign = now + Self.signInterval
            return true
        }
        guard isDue else { return }
        // A worker is no worse for a sign that nobody has seen: the next one comes soon.
        client.sendFuture(queue.presence(startedAt: startedAt)).whenFailure { error in
            // The next beat finds them.
            if self.client.loadFunctions(ifMissingIn: error) { self.nextSign.withLock { $0 = .distantPast } }
        }
    }

    /// - Parameter result: How many leases were found lost.
    private func finish(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let lost):
            note(failing: false, "leases are renewed again")
            guard lost > 0 else { return }
            logger.warning("leases were lost to other workers", metadata: ["count": "\(lost)"])
        case .failure(let error):
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
