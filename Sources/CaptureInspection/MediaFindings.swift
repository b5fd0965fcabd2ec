public import CaptureModel

/// What an inspection of a capture's media found.
public struct MediaFindings: Sendable, Equatable {
    /// The six checks of the media, in the order of ``CaptureModel/Check/Name``.
    public let checks: [Check]
    /// When the app says that the photo was taken; `nil` when the metadata cannot be read.
    public let capturedAt: Timestamp?
}
