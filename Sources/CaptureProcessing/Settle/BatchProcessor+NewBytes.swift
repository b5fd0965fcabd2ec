import CaptureModel
import CaptureQueue
import Logging

extension BatchProcessor {
    /// Looks once more for the bytes of captures that would be given up because theirs are gone.
    ///
    /// A bundle that was sent again may have brought them since this worker looked for them: that is long ago if the
    /// record was away meanwhile. The record decides afterwards: if it had decided about a later capture of the device
    /// already, the counter of the one whose bytes are back would be stale.
    /// - Returns: The lanes, each cut before its first capture that has its bytes by now; the next claim takes the rest.
    func withoutArrived(_ lanes: [LaneConclusion], after recall: Recall) async -> [LaneConclusion] {
        // Nothing is decided then, and no such capture is given up.
        guard recall.extent != .away else { return lanes }
        let here = await accepted(lanes.flatMap { $0.withoutBytes(after: recall) })
        guard !here.isEmpty else { return lanes }
        for capture in here {
            logger.notice(
                "a capture's bytes came while it was worked: it is tried again",
                metadata: ["capture_id": "\(capture)"])
        }
        return lanes.map { $0.cut(before: here) }
    }

    /// Reads the bytes once more of captures that would be given up because theirs have changed.
    ///
    /// A bundle that was sent again may have replaced them since this worker read them, and may have been answered with
    /// 202. Such a capture is not given up: its lane is ready again at once, and the next try verifies it.
    /// - Returns: The settlements, without the dead letters whose bytes are those that were accepted by now.
    func withoutReplaced(_ settlements: [LaneSettlement], of batch: [LanePortion]) async -> [LaneSettlement] {
        let changed = Set(settlements.compactMap(\.withChangedBytes))
        guard !changed.isEmpty else { return settlements }
        let good = await accepted(batch.flatMap(\.jobs).filter { changed.contains($0.id) })
        return settlements.map { settlement in
            guard let capture = settlement.withChangedBytes, good.contains(capture) else { return settlement }
            logger.notice(
                "a capture's bytes were replaced while it was worked: it is tried again",
                metadata: ["capture_id": "\(capture)"])
            return LaneSettlement(
                token: settlement.token, device: settlement.device, items: settlement.items.dropLast(),
                continuation: .handedBack)
        }
    }

    /// The captures whose stored bytes are those that were accepted; none if they cannot be fetched now.
    func accepted(_ jobs: [ClaimedJob]) async -> Set<CaptureID> {
        guard !jobs.isEmpty else { return [] }
        let outcome = await patience.withBundles(areInRedis: jobs.allSatisfy(\.isInRedis)) {
            () async throws(QueueError) in
            try await fetch(jobs)
        }
        guard case .done(let media) = outcome else { return [] }
        let hashed = await verifier.hasher.hash(jobs, media: media)
        return Set(
            zip(jobs, hashed).compactMap { job, hashed -> CaptureID? in
                guard let submission = job.submission, case .found(_, let digests) = hashed.content,
                    digests.areAccepted(of: submission)
                else { return nil }
                return job.id
            })
    }
}

extension LaneSettlement {
    /// The capture that becomes a dead letter because its bytes have changed; it is the last one of its settlement.
    fileprivate var withChangedBytes: CaptureID? {
        guard let last = items.last, case .dead(.bundleCorrupt, _) = last.disposition else { return nil }
        return last.id
    }
}
