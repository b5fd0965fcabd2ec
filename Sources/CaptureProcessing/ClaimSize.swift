import CaptureQueue
import Synchronization

/// How much a worker claims at once: about as many bytes as one batch holds.
///
/// What is claimed and waits for the batches before it could be another's; what waits in the queue is anybody's.
final class ClaimSize: Sendable {
    /// What the next claim takes at the most.
    struct Limits: Equatable {
        var lanes: Int
        var capturesPerLane: Int
    }

    private struct Seen {
        /// Bytes of a bundle, on average over the last claims; `nil` before the first.
        var bundleBytes: Int?
        /// Lanes of the last claim that had any.
        var lanes: Int
    }

    /// Before anything is known, bundles are taken for large: one small claim costs less than a large one in wrong hands.
    private static let capturesAtFirst = 16

    private let largest: Limits
    private let bytesMax: Int
    private let seen: Mutex<Seen>

    init(_ configuration: WorkerConfiguration) {
        largest = Limits(lanes: configuration.claimLanesMax, capturesPerLane: configuration.capturesPerLaneMax)
        bytesMax = configuration.batchBytesMax
        seen = Mutex(Seen(lanes: largest.lanes))
    }

    /// Lanes first, as they are worked side by side; more of each only where there are few.
    var next: Limits {
        let seen = seen.withLock { $0 }
        let captures = seen.bundleBytes.map { max(1, bytesMax / max(1, $0)) } ?? Self.capturesAtFirst
        let lanes = min(captures, largest.lanes)
        return Limits(
            lanes: lanes, capturesPerLane: max(1, min(largest.capturesPerLane, captures / min(lanes, seen.lanes))))
    }

    /// Learns from what a claim has brought.
    func note(_ leases: [Lease]) {
        let jobs = leases.flatMap(\.jobs)
        guard !jobs.isEmpty else { return }
        let bytes = jobs.reduce(0) { $0 + $1.bytes } / jobs.count
        seen.withLock { seen in
            seen.bundleBytes = (3 * (seen.bundleBytes ?? bytes) + bytes) / 4
            seen.lanes = leases.count
        }
    }
}
