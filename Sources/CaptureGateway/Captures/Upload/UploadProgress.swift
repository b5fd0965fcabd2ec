import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints

/// How far an upload has come: what it has left with the servers, and the one place that takes it back.
struct UploadProgress: Sendable {
    /// What the upload has left so far.
    private enum Left: Sendable {
        /// Nothing, or nothing any more.
        case nothing
        /// Its bytes, perhaps a part of them.
        case bytes
        /// Its bytes, and its row.
        case bytesAndRow(in: UploadLedger)
    }

    /// The upload's own bytes.
    private(set) var bytes: UploadedBytes
    private let faults: ArmedFaults
    private var left = Left.nothing

    init(of bytes: UploadedBytes, faults: ArmedFaults) {
        self.bytes = bytes
        self.faults = faults
    }

    /// Stores the bytes, or stores them again where they may be gone.
    mutating func store() async throws(NotAccepted) {
        if case .nothing = left { left = .bytes }
        do throws(QueueError) { try await bytes.put() } catch { throw NotAccepted(error) }
    }

    /// Commits the upload's row, or finds the earlier one of the same bundle.
    mutating func record(in ledger: UploadLedger) async throws(NotAccepted) -> IntakeOutcome {
        let outcome = try await ledger.record(bytes.submission)
        if outcome == .recorded { left = .bytesAndRow(in: ledger) }
        return outcome
    }

    /// Goes on under a bundle digest that does not lead the queue to another capture.
    mutating func stepBeside(_ other: CaptureID) {
        bytes = bytes.beside(other)
    }

    /// Ends the upload's row, if there is one, in favour of another capture of the bundle.
    mutating func giveWay(to queued: JobStatus?) async throws(APIError) {
        guard case .bytesAndRow(let ledger) = left else { return }
        try await ledger.giveWay(bytes, to: queued)
        left = .bytes
    }

    /// Takes back what the upload has left.
    ///
    /// The row goes first: as long as it stands, the capture may be put back from it and needs its bytes. If the row
    /// stays, the bytes are stored again: those in Redis may have expired.
    ///
    /// - Returns: `false` if the row stays.
    @discardableResult
    mutating func takeBack() async -> Bool {
        defer { left = .nothing }
        switch left {
        case .nothing: return true
        case .bytes: break
        case .bytesAndRow(let ledger):
            guard await ledger.withdraw(bytes.submission.id, bytes.logger) else {
                await bytes.restoreBytes()
                return false
            }
            faults.reach(.afterWithdraw)
        }
        await bytes.remove()
        return true
    }
}
