package import CaptureModel

/// What an inspection of a capture's media found.
package struct MediaFindings: Sendable, Equatable {
    /// The six checks of the media, in the order of ``CaptureModel/Check/Name``.
    package let checks: [Check]
    /// When the app says that the photo was taken; `nil` when the metadata cannot be read.
    package let capturedAt: Timestamp?
}
