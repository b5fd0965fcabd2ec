import CaptureQueue
import Observability

/// Asks the queue, or another store that speaks of faults as it does, and answers with 503 or 500 when it does not do what
/// was asked.
/// - Parameter server: The one that is asked.
func askingQueue<Value>(
    from server: CaptureMetrics.Dependency = .redis, _ body: () async throws(QueueError) -> Value
) async throws(APIError) -> Value {
    do { return try await body() } catch { throw .unavailable(error, from: server) }
}
