import CaptureQueue
import Synchronization

/// How much a worker claims at once: about as much as one batch holds, in bytes and in captures.
///
/// No other worker can take a claimed capture that waits behind other batches; any worker can take one in the queue.
final class ClaimSize: Sendable {
    /// What the next claim takes at the most.
    struct Limits: Equatable {
        var lanes: Int
        var capturesPerLane: Int
    }

    private struct Seen {
        /// Bytes of a bundle, on average over the last claims; `nil` before the first.
        var bundleBytes: Int?
        /// Captures that each lane of the last claim brought on average, rounded up.
        var capturesPerLane = 1
    }

    /// Captures of the first claim, while bundles are assumed to be large: a small claim costs less than a large one
    /// that keeps captures from other workers.
    private static let capturesAtFirst = 16

    private let largest: Limits
    private let bytesMax: Int
    private let capturesMax: Int
    private let seen = Mutex(Seen())

    init(_ configuration: WorkerConfiguration) {
        largest = Limits(lanes: configuration.claimLanesMax, capturesPerLane: configuration.capturesPerLaneMax)
        bytesMax = configuration.batchBytesMax
        capturesMax = configuration.batchCapturesMax
    }

    /// The limits of the next claim: few deep lanes, as a lane costs the queue as much as several captures.
    ///
    /// A lane may bring twice as many captures as the last ones did: otherwise a deeper lane would not show.
    var next: Limits {
        let seen = seen.withLock { $0 }
        let fitting = seen.bundleBytes.map { max(1, bytesMax / max(1, $0)) } ?? Self.capturesAtFirst
        let captures = min(fitting, capturesMax)
        return Limits(
            lanes: max(1, min(largest.lanes, captures / seen.capturesPerLane)),
            capturesPerLane: min(largest.capturesPerLane, captures, 2 * seen.capturesPerLane))
    }

    /// Learns from what a claim has brought.
    func note(_ leases: [Lease]) {
        let jobs = leases.flatMap(\.jobs)
        guard !jobs.isEmpty else { return }
        let bytes = jobs.reduce(0) { $0 + $1.bytes } / jobs.count
        seen.withLock { seen in
            seen.bundleBytes = (3 * (seen.bundleBytes ?? bytes) + bytes) / 4
            seen.capturesPerLane = (jobs.count + leases.count - 1) / leases.count
        }
    }
}
