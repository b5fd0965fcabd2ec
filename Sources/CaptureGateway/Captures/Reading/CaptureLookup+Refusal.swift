import CaptureModel
import CaptureOperations

extension CaptureLookup {
    /// The refusal for a capture whose result was not found.
    ///
    /// It has none yet, or is unknown or not the reader's to see.
    ///
    /// A reader who may see its status is told that it exists: one who is told that it does not would stop asking for
    /// good.
    func refusal(of capture: CaptureID, for reader: Reader, at now: Timestamp) async throws(APIError) -> APIError {
        guard let standing = try await standing(of: capture, for: reader) else { return .captureNotFound }
        // If it was settled since then, the next try finds its result.
        let pause = standing.result == nil ? standing.status.pause(at: now) : .zero
        return APIError(.notSettled, "the capture has no result yet", retryAfter: pause)
    }
}
