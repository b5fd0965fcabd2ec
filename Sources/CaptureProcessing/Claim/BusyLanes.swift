import Observability
import Synchronization

/// Counts the lanes that a worker holds at this moment, for the metrics.
final class BusyLanes: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    /// Starts with none.
    /// - Parameter limit: The most that it may claim.
    init(limit: Int) {
        self.limit = limit
        CaptureMetrics.workerLanes(busy: 0, limit: limit)
    }

    /// Counts lanes as busy while they are worked.
    func hold<Value>(_ lanes: Int, _ work: () async -> Value) async -> Value {
        guard lanes > 0 else { return await work() }
        add(lanes)
        defer { add(-lanes) }
        return await work()
    }

    private func add(_ lanes: Int) {
        count.withLock { count in
            count += lanes
            // Within the lock, so that the last number written is the last one counted.
            CaptureMetrics.workerLanes(busy: count, limit: limit)
        }
    }
}
