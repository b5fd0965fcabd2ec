package import Observability
package import PostgresClient

extension CaptureMetrics {
    /// Notes how busy the connections of a client are.
    package static func pool(_ pool: Pool, of client: PostgresClient) {
        let status = client.status
        Self.pool(pool, busy: status.leased, idle: status.idle, waiters: status.waiting)
    }
}
