import Bisection
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Logging

extension IntakeWalk {
    /// Everything on captures that are put back.
    ///
    /// A row that cannot be read does not keep the others back. One that is locked keeps its own partition back.
    func claim(_ rows: [OpenIntake], _ progress: inout Progress) async throws(ServerFault) -> [IntakeEntry] {
        var entries: [IntakeEntry] = []
        var parts = Bisection(rows)
        while let part = parts.next() {
            do throws(StoreError) {
                let claim = try await ledger.claim(part.map(\.capture))
                entries += claim.entries
                for row in part where claim.locked.contains(row.capture) {
                    let fault = QueueError(.busy, "somebody keeps the ledger's row of \(row.capture) locked")
                    progress.refused[queue.partition(of: row.device)] = fault
                }
            } catch {
                guard error.mayBeOfOneCapture else { throw .store(error) }
                guard !parts.halve(part) else { continue }
                for row in part {
                    noteInvalid(row.capture, ["capture_id": "\(row.capture)", "fault": "\(error)"], &progress)
                }
            }
        }
        return entries
    }
}
