package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Whether the queue calls captures settled, in the order asked; a status that cannot be read counts, too.
    package func areSettled(
        _ captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [Bool] {
        guard !captures.isEmpty else { return [] }
        return try await queue.send(
            captures.map { capture, device in
                RedisCommand("EXISTS", [.string(queue.keyspace.partition(of: device).settled(capture))])
            }
        ).map { $0.int == 1 }
    }

    /// Makes the queue forget that captures were settled; their bundles and bytes stay.
    ///
    /// For captures without a result: a reconciler then puts them back from their open rows, or a gateway accepts their
    /// bundles anew.
    package func forgetSettled(_ captures: [(capture: CaptureID, partition: Int)]) async throws(QueueError) {
        try await queue.forgetSettled(captures)
    }

    /// The number of a device's partition.
    package func partition(of device: DeviceID) -> Int { queue.keyspace.partition(of: device).number }
}
