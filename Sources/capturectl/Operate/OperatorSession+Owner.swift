import CaptureModel
import CaptureStore
import PostgresCaptureStore

/// What is said of an id that was not found: the record may know it as that of something else.
extension OperatorSession {
    /// Why there is no result of a capture, to go on behind these words.
    ///
    /// The queue is not asked: a capture that it has is in the ledger, or `captures show` tells of it.
    func reasonWithoutResult(of capture: CaptureID) async throws(StoreError) -> String {
        if try await ledger.accepted([capture])[capture] != nil {
            return "; it is accepted and has none yet: capturectl captures show"
        }
        if let device = DeviceID("\(capture)"), try await store.device(device) != nil {
            return "; the id is that of a device: capturectl devices show"
        }
        return "; capturectl captures show tells whether the queue knows it"
    }

    /// Whose the id is if it is no device's, to go on behind these words; empty if nobody's.
    func otherOwner(of device: DeviceID) async throws(StoreError) -> String {
        guard let capture = CaptureID("\(device)") else { return "" }
        var isCapture = try await store.result(of: capture) != nil
        if !isCapture { isCapture = try await ledger.accepted([capture])[capture] != nil }
        return isCapture ? "; the id is that of a capture: capturectl captures show" : ""
    }
}
