import CaptureModel
import Logging
import Observability
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient

/// Compares this machine's clock with the servers' again and again.
///
/// A gateway notes by its own clock when a capture came. Where that clock is wrong, the capture looks as if it had been
/// taken at another time (`TIMESTAMP_SKEW`), and no later correction changes its result.
///
/// It reports differences in the log and by a gauge, but ends no program.
struct ClockWatch: Sendable {
    /// The clocks that are known to differ.
    struct Differences: Sendable {
        var redis = Episode()
        var postgres = Episode()
    }

    let redis: RedisClient
    let postgres: PostgresClient
    /// This machine's clock.
    let now: TimeSource
    /// The pause between two looks.
    let pause: Duration
    let logger: Logger

    /// Looks until it is cancelled.
    /// - Parameter known: The differences that were reported before.
    func run(after known: Differences) async {
        var known = known
        await again(after: pause) { await look(&known) }
    }

    /// Looks once; for a server that does not answer, the known difference stays.
    ///
    /// That it is away is reported by the code that works with it.
    func look(_ known: inout Differences) async {
        if let offset = await offset({ try await redis.serverTime() }) {
            tell(offset, of: .redis, &known.redis)
        }
        let store = PostgresCaptureStore(client: postgres)
        if !Task.isCancelled, let offset = await offset({ try await store.serverTime() }) {
            tell(offset, of: .postgres, &known.postgres)
        }
    }

    private func offset(_ ask: () async throws -> Timestamp) async -> ClockOffset? {
        do { return try await ClockOffset.measure(now: now, ask) } catch { return nil }
    }

    private func tell(_ offset: ClockOffset, of server: BackingServer, _ difference: inout Episode) {
        CaptureMetrics.clock(of: server, ahead: offset.ahead)
        if offset.isFar {
            guard difference.begin() else { return }
            logger.warning(
                "this machine's clock and that of \(server.rawValue) differ",
                metadata: ["ahead_ms": "\(offset.ahead.whole(.milliseconds(1)))"])
        } else if difference.end() {
            logger.notice("this machine's clock and that of \(server.rawValue) agree again")
        }
    }
}
