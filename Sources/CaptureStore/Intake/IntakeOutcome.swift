package import CaptureModel

/// The id under which a bundle is accepted.
package enum IntakeOutcome: Sendable, Equatable {
    /// Under the id that was given.
    case recorded
    /// Under the id of its first upload.
    case earlier(CaptureID, IntakeStanding)
    /// The conflicting row was withdrawn at this very moment: record the upload again.
    case contested
}

/// The progress of a capture whose bundle was recorded before.
package enum IntakeStanding: Sendable, Equatable {
    /// It has no result, and only the gateway that recorded it has tried to enqueue it.
    case waiting
    /// It has no result, and was or is being enqueued again from its row; its bytes may be gone.
    case claimed
    /// It has a result.
    case closed
}
