import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore

extension IntakeWalk {
    /// Notes in the ledger what has died in a partition since the last look, so that it comes back as redriven.
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
            progress.lastDeaths[partition] = last
        }
    }
}
