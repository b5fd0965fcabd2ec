import CaptureModel
import CaptureQueue

extension EarlierUpload {
    /// How the capture that the queue names for a bundle relates to it.
    enum Named: Sendable {
        /// It is the bundle's own, and stands there; with what the queue says of it, if it knows it.
        case same(JobStatus?, CaptureState)
        /// It is of other bytes, or was given up where this gateway cannot look for them: whoever handed it off gave
        /// this bundle's digest for it.
        case another
        /// Neither queue nor record knows it.
        case nowhere
    }

    /// Looks at the capture that the queue names for a bundle, and brings its bytes back if they are missing or others.
    func named(_ first: CaptureID, for bytes: UploadedBytes) async throws(APIError) -> Named {
        let queued = try await queuedStatus(of: first, from: bytes.submission.device)
        var known = queued?.state
        if queued == nil { known = try await recordedState(of: first) }
        guard var state = known else { return .nowhere }
        if try await isAnother(first, in: state, than: bytes) { return .another }
        if let queued {
            state = try await redrive(queued, by: bytes)?.state ?? state
            try await mend(queued, by: bytes)
        }
        return .same(queued, state)
    }
}
