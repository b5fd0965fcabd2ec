package import CaptureModel
package import CaptureQueue
package import RedisClient

extension RedisClient {
    /// The time by the server's clock, on which leases and delays are based.
    package func serverTime() async throws(QueueError) -> Timestamp {
        let reply = try await replies(to: [RedisCommand("TIME")]).withoutErrors()[0]
        let parts = (reply.array ?? []).compactMap(\.int)
        guard parts.count == 2 else { throw .malformed("TIME") }
        let (seconds, isTooLong) = Int64(parts[0]).multipliedReportingOverflow(by: 1_000_000)
        let (time, isTooLate) = seconds.addingReportingOverflow(Int64(parts[1]))
        guard !isTooLong, !isTooLate else { throw .malformed("TIME") }
        return Timestamp(microsecondsSince1970: time)
    }
}
