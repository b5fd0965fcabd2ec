import CaptureModel
import Logging
import NIOCore
import Observability
import RedisClient
import Synchronization

/// Sends rounds of renewals, some with a sign of life, on an event loop only.
///
/// If a round fails because the server is away, others follow in quick succession until one succeeds: when the server
/// is back every lease has run out, and other workers wait only two seconds (`TakeOverPace`) before they take lanes
/// over.
final class Heartbeat: Sendable {
    private struct Retries {
        var isScheduled = false
        var areOver = false
    }

    private let queue: RedisCaptureQueue
    private let client: RedisClient
    private let logger: Logger
    private let eventLoop: any EventLoop
    private let retries = Mutex(Retries())
    /// The pause between a failed round and the next.
    private let retryPause: TimeAmount
    private let startedAt: Timestamp
    /// Whether the servers are away for the worker's other connections.
    private let isServerAway: @Sendable () -> Bool
    private let failing = SharedEpisode()
    /// When a renewal last succeeded, or no lease was held.
    private let renewedAt: Mutex<NIODeadline>
    /// After this time without a renewal, the next one may come too late.
    private let silenceMax: TimeAmount
    private let nextSign = Mutex(NIODeadline.distantPast)
    /// The time between signs of life.
    ///
    /// Together with the wait for the next beat it is within a third of ``WorkerStatus/silenceMax``; it costs next to
    /// nothing.
    static let signInterval = Duration.seconds(3)
    /// The longest pause before a retry.
    ///
    /// Together with connecting it takes less than half of those two seconds; without a connection a round costs
    /// nothing.
    static let retryPauseMax = Duration.milliseconds(250)

    /// - Parameters:
    ///   - eventLoop: Runs the beats.
    ///   - interval: The time between calls of ``beat()``.
    init(
        queue: RedisCaptureQueue, client: RedisClient, eventLoop: any EventLoop, interval: Duration,
        startedAt: Timestamp, isServerAway: @escaping @Sendable () -> Bool, logger: Logger
    ) {
        self.queue = queue
        self.client = client
        self.eventLoop = eventLoop
        retryPause = TimeAmount(min(interval, Self.retryPauseMax))
        self.startedAt = startedAt
        self.isServerAway = isServerAway
        self.logger = logger
        renewedAt = Mutex(.now())
        silenceMax = TimeAmount(queue.configuration.leaseDuration * 2 / 3)
    }

    /// Renews all leases that are held.
    func beat() {
        guard !retries.withLock({ $0.areOver }) else { return }
        giveSign()
        let renewals = queue.renewLeases(over: client, logger: logger)
        if renewals.isEmpty { renewedAt.withLock { $0 = .now() } }
        for renewal in renewals { renewal.whenComplete { self.finish($0) } }
    }

    /// Stops renewing.
    func stop() {
        retries.withLock { $0.areOver = true }
    }

    private func beatAgain() {
        let isFirst = retries.withLock { retries in
            defer { retries.isScheduled = true }
            return !retries.isScheduled
        }
        guard isFirst else { return }
        eventLoop.scheduleTask(in: retryPause) {
            self.retries.withLock { $0.isScheduled = false }
            self.beat()
        }
    }

    private func giveSign() {
        let isDue = nextSign.withLock { nextSign in
            let now = NIODeadline.now()
            guard now >= nextSign else { return false }
            nextSign = now + TimeAmount(Self.signInterval)
            return true
        }
        guard isDue else { return }
        // A lost sign of life does no harm: the next one comes soon.
        client.sendFuture(queue.signOfLife(startedAt: startedAt)).whenFailure { error in
            // The functions are loaded for the next beat.
            if self.client.loadFunctions(ifMissingIn: error) { self.nextSign.withLock { $0 = .distantPast } }
        }
    }

    /// - Parameter result: How many leases were found lost.
    private func finish(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let lost):
            renewedAt.withLock { $0 = .now() }
            if failing.end() { logger.notice("leases are renewed again") }
            guard lost > 0 else { return }
            logger.warning("leases were lost to other workers", metadata: ["count": "\(lost)"])
        case .failure(let error):
            // The worker itself logs an outage; only this logs that its own connection alone fails.
            if (error as? RedisError)?.isTransient == true {
                beatAgain()
                let isLate = renewedAt.withLock { NIODeadline.now() - $0 > silenceMax }
                guard isLate, !isServerAway() else { return }
            }
            if failing.begin() { logger.warning("leases are not renewed", metadata: ["fault": "\(error)"]) }
        }
    }
}
