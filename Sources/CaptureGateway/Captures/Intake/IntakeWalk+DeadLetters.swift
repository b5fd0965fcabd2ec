import Bisection
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Logging

extension IntakeWalk {
    /// Notes in the ledger what has died in a partition since the last look, so that it comes back as redriven, and puts
    /// back what has a result.
    ///
    /// The walk passes each row once, and its capture may die long after that.
    func noteDeadLetters(in partition: Int, _ progress: inout Progress) async throws(ServerFault) {
        while true {
            let place = progress.lastDeadLetters[partition]
            let page = try await asking(partition, &progress) { () async throws(QueueError) in
                try await queue.deadLetterPlaces(in: partition, after: place, limit: pageMax)
            }
            // A queue that answers what it has answered before would be asked for ever.
            guard let page, let last = page.max(), place.map({ $0 < last }) ?? true else { return }
            try await ServerFault.askingStore { () async throws(StoreError) in
                try await ledger.noteDead(page.map(\.capture))
            }
            try await redriveSettled(page.map(\.capture), in: partition)
            progress.lastDeadLetters[partition] = last
        }
    }

    /// Puts dead letters back that have a result: their next worker finds it, and settles them.
    ///
    /// A worker that was taken for dead has settled such a capture, and ended before it could put it back itself. Each is
    /// put back once: the result may be that of another capture with the same id, or no worker may come back from this
    /// one, and it would be given up and put back for ever.
    private func redriveSettled(_ captures: [CaptureID], in partition: Int) async throws(ServerFault) {
        for capture in try await settled(captures) where !redriven.contains(capture) {
            do throws(QueueError) {
                guard try await queue.redrive(capture, in: partition) else { continue }
            } catch {
                guard error.code == .refused else { throw .queue(error) }
                // This letter alone, as its job is gone: what the partition refuses is seen by the other calls.
                logger.info(
                    "a dead letter that has a result cannot be put back",
                    metadata: ["capture_id": "\(capture)", "fault": "\(error)"])
                continue
            }
            redriven.insert(capture)
            logger.notice("a dead letter has a result after all", metadata: ["capture_id": "\(capture)"])
        }
    }

    /// Those captures that have a result; a result that cannot be read does not keep the others back.
    private func settled(_ captures: [CaptureID]) async throws(ServerFault) -> [CaptureID] {
        var settled: Set<CaptureID> = []
        var parts = Bisection(captures)
        while let part = parts.next() {
            do throws(StoreError) {
                settled.formUnion(try await store.results(of: Array(part)).keys)
            } catch {
                guard error.mayBeOfOneCapture else { throw .store(error) }
                _ = parts.halve(part)
            }
        }
        return captures.filter { settled.contains($0) }
    }
}
