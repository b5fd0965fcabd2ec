import CaptureModel
import Logging
import NIOCore
import RedisClient
import Spell
import Synchronization

/// One round of renewals after the other, on an event loop only, and a sign of life with some of them.
///
/// A round that fails for want of the server is followed by others in quick succession until one goes through: when the
/// server is back every lease has run out, and other workers leave them alone for a second only.
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
    /// How long after one that has failed the next round comes.
    private let retryPause: TimeAmount
    private let startedAt: Timestamp
    /// Whether the servers are away, as everything else that asks them tells.
    private let isServerAway: @Sendable () -> Bool
    private let failing = Mutex(Spell())
    /// When a renewal last went through, or there was none to make.
    private let renewedAt: Mutex<NIODeadline>
    /// Without a renewal for so long, the next one may come too late.
    private let silenceMax: TimeAmount
    private let nextSign = Mutex(NIODeadline.distantPast)
    /// With the beat that it waits for still within a third of ``WorkerStatus/silenceMax``, and seldom enough to cost
    /// nothing.
    static let signInterval = Duration.seconds(3)
    /// With the time that connecting takes it is less than that second; while there is no connection a round costs
    /// nothing.
    static let retryPauseMax = Duration.milliseconds(250)

    /// - Parameters:
    ///   - eventLoop: Where it beats.
    ///   - interval: How often it is told to.
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

    /// Renews what is due.
    func beat() {
        guard !retries.withLock({ $0.areOver }) else { return }
        giveSign()
        let renewals = queue.renewLeases(over: client, logger: logger)
        if renewals.isEmpty { renewedAt.withLock { $0 = .now() } }
        for renewal in renewals { renewal.whenComplete { self.finish($0) } }
    }

    /// Renews nothing any more.
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
        // A worker is no worse for a sign that nobody has seen: the next one comes soon.
        client.sendFuture(queue.signOfLife(startedAt: startedAt)).whenFailure { error in
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
                beatAgain()
                let isLate = renewedAt.withLock { NIODeadline.now() - $0 > silenceMax }
                guard isLate, !isServerAway() else { return }
            }
            if failing.withLock({ $0.begin() }) { logger.warning("leases are not renewed: \(error)") }
        }
    }
}
