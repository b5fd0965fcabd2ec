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
    func noteDeaths(in partition: Int, _ progress: inout Progress) async throws(ServerFault) {
        while true {
            let place = progress.lastDeaths[partition]
            let page = try await asking(partition, &progress) { () async throws(QueueError) in
                try await queue.deaths(in: partition, after: place, limit: pageMax)
            }
            // A queue that answers what it has answered before would be asked for ever.
            guard let page, let last = page.max(), place.map({ $0 < last }) ?? true else { return }
            try await ServerFault.askingStore { () async throws(StoreError) in
                try await ledger.noteDead(page.map(\.capture))
            }
            try await redriveSettled(page.map(\.capture), in: partition, &progress)
            progress.lastDeaths[partition] = last
        }
    }

    /// Puts dead letters back that have a result: their next worker finds it, and settles them.
    ///
    /// A worker that was taken for dead has settled such a capture, and ended before it could put it back itself.
    private func redriveSettled(
        _ captures: [CaptureID], in partition: Int, _ progress: inout Progress
    ) async throws(ServerFault) {
        for capture in try await settled(captures) {
            let isBack = try await asking(partition, &progress) { () async throws(QueueError) in
                try await queue.redrive(capture)
            }
            guard isBack == true else { continue }
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
