import CaptureModel
import Logging
import NIOCore
import RedisClient
import Spell
import Synchronization

/// One round of renewals after the other, on an event loop only, and a sign of life with some of them.
final class Heartbeat: Sendable {
    private let queue: RedisCaptureQueue
    private let client: RedisClient
    private let logger: Logger
    private let startedAt: Timestamp
    /// Whether the servers are away, as everything else that asks them tells.
    private let isServerAway: @Sendable () -> Bool
    private let failing = Mutex(Spell())
    /// When a renewal last went through, or there was none to make.
    private let renewedAt: Mutex<NIODeadline>
    /// Without a renewal for so long, the next one may come too late.
    private let silenceMax: TimeAmount
    private let nextSign = Mutex(NIODeadline.distantPast)
    /// Far more often than after ``WorkerStatus/silenceMax``, and seldom enough to cost nothing.
    private static let signInterval: TimeAmount = .seconds(3)

    init(
        queue: RedisCaptureQueue, client: RedisClient, startedAt: Timestamp,
        isServerAway: @escaping @Sendable () -> Bool, logger: Logger
    ) {
        self.queue = queue
        self.client = client
        self.startedAt = startedAt
        self.isServerAway = isServerAway
        self.logger = logger
        renewedAt = Mutex(.now())
        silenceMax = TimeAmount(queue.configuration.leaseDuration * 2 / 3)
    }

    /// Renews what is due.
    func beat() {
        giveSign()
        let renewals = queue.renewLeases(over: client, logger: logger)
        if renewals.isEmpty { renewedAt.withLock { $0 = .now() } }
        for renewal in renewals { renewal.whenComplete { self.finish($0) } }
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
            renewedAt.withLock { $0 = .now() }
            if failing.withLock({ $0.end() }) { logger.notice("leases are renewed again") }
            guard lost > 0 else { return }
            logger.warning("leases were lost to other workers", metadata: ["count": "\(lost)"])
        case .failure(let error):
            // A server that is away is the worker's to tell; that only this connection does not come about, nobody else's.
            if (error as? RedisError)?.isTransient == true {
                let isLate = renewedAt.withLock { NIODeadline.now() - $0 > silenceMax }
                guard isLate, !isServerAway() else { return }
            }
            if failing.withLock({ $0.begin() }) { logger.warning("leases are not renewed: \(error)") }
        }
    }
}
