import CaptureModel
import CaptureOperations
import CaptureStore
import Logging
import Observability

extension IntakeReconciler {
    /// Notes what ended a turn: a server that is away as an outage; once, what else keeps the reconciler from its work.
    ///
    /// A PostgreSQL that answers uploads, and gives the reconciler no connection, is not away.
    func note(_ fault: ServerFault) async {
        let failure = APIError.unavailable(fault)
        if await isOfOwnConnections(fault) {
            noteHoldUp("\(fault)")
            return
        }
        outages.note(failure)
        switch failure.cause {
        case .busy(let what)?, .fault(let what)?: noteHoldUp(what)
        case .server?, .refusal?, .resultLost?, nil: return
        }
    }

    private func noteHoldUp(_ fault: String) {
        guard !Task.isCancelled, holdUp.begin() else { return }
        logger.warning("the reconciler does not get through", metadata: ["fault": "\(fault)"])
    }

    /// Whether PostgreSQL does not answer on the reconciler's connections, and does on those of uploads.
    private func isOfOwnConnections(_ fault: ServerFault) async -> Bool {
        guard case .store(let error) = fault, let uploadStore, !error.isRefusal,
            error.code == .unavailable || error.code == .outcomeUnknown
        else { return false }
        do throws(StoreError) {
            try await uploadStore.ping()
        } catch {
            // All of them are at work: uploads tell it if they are not answered.
            return error.code == .busy
        }
        outages.answered(.postgres)
        return true
    }
}
