import CaptureModel
import CaptureOperations

extension CaptureLookup {
    /// Why there is nothing to give out of a capture whose result was not found: it has none yet, or is unknown, or not
    /// the reader's to see.
    ///
    /// Who may see its status may know that it exists: to be told that it does not would end the asking for good.
    func refusal(of capture: CaptureID, for reader: Reader, at now: Timestamp) async throws(APIError) -> APIError {
        guard let standing = try await standings(of: [capture], for: reader).first else { return .captureNotFound }
        // One that was settled since then is there at the next try.
        let pause = standing.result == nil ? standing.status.pause(at: now) : .zero
        return APIError(.notSettled, "the capture has no result yet", retryAfter: pause)
    }
}
