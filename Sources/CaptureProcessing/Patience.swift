import CaptureQueue
import CaptureStore
import Logging

/// Tries a call again while its server is away, for as long as a batch may be held.
///
/// Leases are renewed meanwhile, so nothing is worked twice, and an outage costs a capture none of its attempts.
struct Patience: Sendable {
    /// What came of a call.
    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// The server stayed away for too long, or the worker is to stop.
        case away
        /// The server refused, again and again or for good.
        case fault(String)
    }

    let backoff: Backoff
    let hold: Duration
    let redis: OutageLog
    let postgres: OutageLog

    /// Conflicts between transactions are tried again this often before they count as a fault.
    private static let conflictsMax = 5

    func withQueue<Value: Sendable>(
        _ call: @Sendable () async throws(QueueError) -> Value
    ) async -> Outcome<Value> {
        let deadline = ContinuousClock.now.advanced(by: hold)
        var attempt = 0
        while true {
            attempt += 1
            do throws(QueueError) {
                let value = try await call()
                redis.back()
                return .done(value)
            } catch {
                guard error.isTransient else { return .fault("\(error)") }
                redis.away(error)
                guard await pause(attempt, until: deadline) else { return .away }
            }
        }
    }

    func withStore<Value: Sendable>(
        _ call: @Sendable () async throws(StoreError) -> Value
    ) async -> Outcome<Value> {
        let deadline = ContinuousClock.now.advanced(by: hold)
        var attempt = 0
        var conflicts = 0
        while true {
            attempt += 1
            do throws(StoreError) {
                let value = try await call()
                postgres.back()
                return .done(value)
            } catch {
                guard error.isTransient else { return .fault("\(error)") }
                if error.code == .conflict {
                    conflicts += 1
                    if conflicts > Self.conflictsMax { return .fault("\(error)") }
                } else {
                    postgres.away(error)
                }
                guard await pause(attempt, until: deadline) else { return .away }
            }
        }
    }

    /// Waits before the next try; `false` when there is none.
    private func pause(_ attempt: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        var generator = SystemRandomNumberGenerator()
        let next = ContinuousClock.now.advanced(by: backoff.delay(attempt: attempt, using: &generator))
        guard next < deadline else { return false }
        do {
            try await Task.sleep(until: next, clock: .continuous)
            return true
        } catch {
            return false
        }
    }
}
