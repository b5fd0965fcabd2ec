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
