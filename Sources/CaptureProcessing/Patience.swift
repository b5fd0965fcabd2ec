import Backoff
import CaptureQueue
import CaptureStore
import Latch
import Observability

/// Tries a call again while its server is away.
///
/// Leases are renewed meanwhile, so nothing is worked twice, and an outage costs a capture none of its attempts. The
/// pauses are capped, so that whatever waits goes on within ``backoff``'s cap of the server's return,
/// however long it was away.
struct Patience: Sendable {
    /// What came of a call.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The server stayed away for too long, or the worker is to stop.
        case away
        /// The server refused, again and again or for good.
        case fault(Fault)
    }

    /// Why a server refused a call.
    struct Fault: Sendable, Equatable, CustomStringConvertible {
        let description: String
        /// Whether the same call can never succeed, so that trying again is of no use; else it met a conflict.
        let isPermanent: Bool
        /// Whether no further try would have fitted into the time for which a batch is held.
        var isOutOfTime = false
    }

    /// How long a call is tried again.
    enum Limit: Sendable {
        /// For as long as a batch may be held.
        case hold
        /// For as long as it takes, as others could do no better; a stopping worker gives up after a while.
        case untilDone
        /// Until the worker is to stop.
        case untilStop
    }

    let backoff: Backoff
    let hold: Duration
    /// How long a stopping worker tries to be rid of what it has in hand.
    let giveBackLimit: Duration
    /// Opens when the worker is to stop.
    let stop: Latch
    /// Whether somebody waits for what is under way to end: a conflict is not tried again then.
    let isAwaited: @Sendable () async -> Bool
    let redis: OutageLog
    let postgres: OutageLog
    let bundles: OutageLog
    private let fetchRefusal = FetchRefusal()

    /// Conflicts between transactions are tried again this often before they count as a fault.
    static let conflictsMax = 5

    /// Whether the queue was away a moment ago.
    var isQueueAway: Bool { redis.isAway }

    /// Whether the record was away a moment ago.
    var isStoreAway: Bool { postgres.isAway }

    /// Fetches bytes.
    ///
    /// What a store refuses it refuses everybody (a login without a permission, a directory that may not be read), and
    /// is waited for as an outage is: what concerns a single capture is among the answers.
    /// - Parameter areInRedis: Whether the queue's server has all of them: another store that
    ///   is away is no outage of it.
    func withBundles<Value: Sendable>(
        areInRedis: Bool, _ fetch: @Sendable () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        // Files are only read here; Redis is also written to elsewhere, so reading it proves less.
        await with(areInRedis ? redis : bundles, .hold, isReading: areInRedis, refusals: bundles, fetch)
    }

    /// Calls the queue; what it refuses is a fault.
    /// - Parameter isReading: Whether nothing is changed: then it tells nothing about an outage
    ///   of what changes something.
    func withQueue<Value: Sendable>(
        _ limit: Limit, isReading: Bool = false, _ call: @Sendable () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        await with(redis, limit, isReading: isReading, refusals: nil, call)
    }

    /// - Parameters:
    ///   - server: Told of outages.
    ///   - refusals: Told of refusals, where they are waited for; without it they are faults. Those of a server that only
    ///     reads are refusals to fetch.
    private func with<Value: Sendable>(
        _ server: OutageLog, _ limit: Limit, isReading: Bool, refusals: OutageLog?,
        _ call: @Sendable () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        let started = ContinuousClock.now
        var attempt = 0
        while true {
            attempt += 1
            do throws(QueueError) {
                let value = try await call()
                if isReading { server.answered() } else { server.back() }
                if !isReading || fetchRefusal.end() { refusals?.back() }
                return .done(value)
            } catch {
                // This task was cancelled: that says nothing about the server.
                guard !Task.isCancelled else { return .away }
                if error.isTransient {
                    if error.isOutage { server.away(error, isRefusal: error.isRefusal) }
                } else if let refusals, error.code == .refused {
                    if isReading { fetchRefusal.begin() }
                    refusals.away(error)
                } else {
                    return .fault(Fault(description: "\(error)", isPermanent: true))
                }
                guard await pause(attempt, since: started, limit) else { return .away }
            }
        }
    }

    /// Calls the record; what concerns what was sent is a fault, and so are conflicts without an end.
    ///
    /// A commit whose outcome is not known may hang on the server (a synchronous standby that is missing), and hold its
    /// locks: a conflict that comes after it is the same outage.
    /// - Parameters:
    ///   - isReading: Whether nothing is changed: then it tells nothing about an outage of what changes something.
    ///   - conflictsMax: How many conflicts are tried again.
    ///   - started: Since when it is held.
    func withStore<Value: Sendable>(
        isReading: Bool = false, conflictsMax: Int = Patience.conflictsMax,
        since started: ContinuousClock.Instant = .now, _ call: @Sendable () async throws(StoreError) -> Value
    ) async -> Outcome<Value> {
        var attempt = 0
        var conflicts = 0
        var mayHang = false
        while true {
            attempt += 1
            do throws(StoreError) {
                let value = try await call()
                if isReading { postgres.answered() } else { postgres.back() }
                return .done(value)
            } catch {
                guard !Task.isCancelled else { return .away }
                // A refusal that meets everybody is waited for as an outage is: it is no capture's fault.
                guard !error.concernsContent else {
                    return .fault(Fault(description: "\(error)", isPermanent: true))
                }
                mayHang = mayHang || error.code == .outcomeUnknown
                let isConflict = error.code == .conflict && !mayHang
                if isConflict {
                    conflicts += 1
                    let isAwaited = await isAwaited()
                    if conflicts > conflictsMax || isAwaited {
                        return .fault(Fault(description: "\(error)", isPermanent: false))
                    }
                } else if error.code != .busy {
                    // Waiting for one of our own connections tells nothing about the server.
                    postgres.away(error, isRefusal: error.isRefusal)
                }
                guard await pause(attempt, since: started, .hold) else {
                    // A lock may be waited for so long that few tries fit into the hold. A stopping worker hands back.
                    guard isConflict, !stop.isOpen, !Task.isCancelled else { return .away }
                    return .fault(Fault(description: "\(error)", isPermanent: false, isOutOfTime: true))
                }
            }
        }
    }

    /// Whether what is held since then may be held any longer.
    func mayHold(since started: ContinuousClock.Instant) -> Bool { isWorthwhile(.now, since: started, .hold) }

    /// Waits before the next try; `false` when there is none.
    private func pause(_ attempt: Int, since started: ContinuousClock.Instant, _ limit: Limit) async -> Bool {
        let delay = backoff.delay(attempt: attempt)
        guard isWorthwhile(.now + delay, since: started, limit) else { return false }
        if stop.isOpen {
            do { try await Task.sleep(for: delay, clock: .continuous) } catch { return false }
        } else {
            await stop.wait(for: delay)
        }
        return !Task.isCancelled && isWorthwhile(.now, since: started, limit)
    }

    /// Whether a try at that time is within the limit.
    private func isWorthwhile(
        _ time: ContinuousClock.Instant, since started: ContinuousClock.Instant, _ limit: Limit
    ) -> Bool {
        if let stoppedAt = stop.openedAt {
            guard limit != .untilStop, time < stoppedAt + giveBackLimit else { return false }
        }
        return limit != .hold || time < started + hold
    }
}

extension QueueError {
    /// Whether a server is away; what else is tried again only has to wait.
    fileprivate var isOutage: Bool { code != .busy && code != .restoring }
}
