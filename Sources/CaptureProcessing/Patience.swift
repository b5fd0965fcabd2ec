import CaptureQueue
import CaptureStore
import Observability
import Waiting

/// Tries a call again while its server is away.
///
/// Leases are renewed meanwhile, so nothing is worked twice, and an outage costs a capture none of its attempts. The
/// pauses are capped: after the server's return a waiting call goes on within the cap of ``backoff``, however long the
/// outage was.
struct Patience: Sendable {
    let backoff: Backoff
    let hold: Duration
    /// How long a stopping worker tries to give back its lanes.
    let giveBackLimit: Duration
    /// Opens when the worker is to stop.
    let stop: Latch
    /// Whether a suspect waits for the rounds under way to end: then a conflict is not tried again.
    let isAwaited: @Sendable () async -> Bool
    let redis: OutageLog
    let postgres: OutageLog
    let bundles: OutageLog
    /// Where it reads how long a call has been tried.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Random numbers from 0 to 1, which spread the waits of workers that were refused together.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }
    /// Redis refuses to give the bytes of captures, which counts as an outage of the bundle store.
    ///
    /// Bytes from Redis end only this outage: they say nothing about a bundle directory that is away.
    private let fetchRefusal = SharedEpisode()

    /// Conflicts between transactions are tried again this often before they count as a fault.
    static let conflictsMax = 5

    /// Whether the queue counts as away.
    var isQueueAway: Bool { redis.isAway }

    /// Whether the record counts as away.
    var isStoreAway: Bool { postgres.isAway }

    /// Fetches bytes.
    ///
    /// A refusal by a store meets every worker (a login without a permission, a directory that may not be read), and is
    /// waited for like an outage. A fault of a single capture is part of the answer.
    /// - Parameter areInRedis: Whether all the bytes are in the queue's server: what Redis gives ends no outage of
    ///   another store.
    func withBundles<Value: Sendable>(
        areInRedis: Bool, _ fetch: () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        await retrying(.hold, fetch) {
            guard areInRedis else { return bundles.back() }
            // Redis is also written to elsewhere: that it can be read ends only a refusal to fetch.
            redis.answered()
            if fetchRefusal.end() { bundles.back() }
        } waitsFor: { fault in
            guard fault.code == .refused else { return false }
            if areInRedis { fetchRefusal.begin() }
            bundles.away(fault)
            return true
        }
    }

    /// Calls the queue; a refusal is a fault.
    /// - Parameter isReading: Whether nothing is changed: then success says nothing about an outage for writers.
    func withQueue<Value: Sendable>(
        _ limit: Limit, isReading: Bool = false, _ call: () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        await retrying(limit, call) {
            if isReading { redis.answered() } else { redis.back() }
        } waitsFor: { _ in
            false
        }
    }

    /// Tries a call again while its server is away.
    /// - Parameters:
    ///   - succeeded: Notes that the call succeeded.
    ///   - waitsFor: Notes a fault that does not pass by itself, and tells whether it is waited for all the same.
    private func retrying<Value: Sendable>(
        _ limit: Limit, _ call: () async throws(QueueError) -> Value, succeeded: () -> Void,
        waitsFor: (QueueError) -> Bool
    ) async -> Outcome<Value> {
        let started = now()
        var attempt = 0
        while true {
            attempt += 1
            do throws(QueueError) {
                let value = try await call()
                succeeded()
                return .done(value)
            } catch {
                // A cancelled task says nothing about the server.
                guard !Task.isCancelled else { return .away }
                if error.isTransient {
                    if error.isOutage { log(of: error.server).away(error, isRefusal: error.isRefusal) }
                } else if !waitsFor(error) {
                    return .fault(Fault("\(error)"))
                }
                guard await pause(attempt, since: started, limit) else { return .away }
            }
        }
    }

    private func log(of server: QueueError.Server) -> OutageLog {
        switch server {
        case .queue: redis
        case .bundles: bundles
        }
    }

    /// Calls the record; a refusal of the arguments is a fault, and so are too many conflicts.
    ///
    /// A commit with an unknown outcome may hang on the server (a synchronous standby that is missing) and hold its
    /// locks: a conflict after it belongs to the same outage.
    /// - Parameters:
    ///   - isReading: Whether nothing is changed: then success says nothing about an outage for writers.
    ///   - conflictsMax: How many conflicts are tried again.
    ///   - started: Since when the batch is held; since this call by default.
    func withStore<Value: Sendable>(
        isReading: Bool = false, conflictsMax: Int = Patience.conflictsMax,
        since started: ContinuousClock.Instant? = nil, _ call: () async throws(StoreError) -> Value
    ) async -> Outcome<Value> {
        let started = started ?? now()
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
                // A refusal that meets everybody is waited for like an outage: it is no capture's fault.
                guard !error.mayBeOfOneCapture else { return .fault(Fault("\(error)")) }
                mayHang = mayHang || error.code == .outcomeUnknown
                let isConflict = error.code == .conflict && !mayHang
                if isConflict {
                    conflicts += 1
                    let isAwaited = await isAwaited()
                    if conflicts > conflictsMax || isAwaited {
                        return .fault(Fault("\(error)", conflict: .tooOften))
                    }
                } else if error.code != .busy {
                    // A wait for one of our own connections says nothing about the server.
                    postgres.away(error, isRefusal: error.isRefusal)
                }
                guard await pause(attempt, since: started, .hold) else {
                    // One wait for a lock may use up most of the hold. A stopping worker hands back instead.
                    guard isConflict, !stop.isOpen, !Task.isCancelled else { return .away }
                    return .fault(Fault("\(error)", conflict: .outOfTime))
                }
            }
        }
    }

    /// Whether a batch held since then may be held any longer.
    func mayHold(since started: ContinuousClock.Instant) -> Bool { isWorthwhile(now(), since: started, .hold) }

    /// Waits before the next try; `false` when there is none.
    private func pause(_ attempt: Int, since started: ContinuousClock.Instant, _ limit: Limit) async -> Bool {
        let delay = backoff.delay(attempt: attempt, chance: chance())
        guard isWorthwhile(now() + delay, since: started, limit) else { return false }
        if stop.isOpen {
            do { try await Task.sleep(for: delay, clock: .continuous) } catch { return false }
        } else {
            await stop.wait(for: delay)
        }
        return !Task.isCancelled && isWorthwhile(now(), since: started, limit)
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
    /// Whether a server is away; after any other transient fault there is only a wait.
    fileprivate var isOutage: Bool { ![.busy, .starting, .restoring, .tooFewReplicas].contains(code) }
}
