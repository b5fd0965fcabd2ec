public import CaptureModel

/// What an inspection of a capture's media found.
public struct MediaFindings: Sendable, Equatable {
    /// The six checks of the media, in the order of ``CaptureModel/Check/Name``.
    public let checks: [Check]
    /// When the app says that the photo was taken; `nil` when the metadata cannot be read.
    public let capturedAt: Timestamp?
    /// The photo's structure; `nil` when it has none.
    public let photo: JPEGStructure?
    /// The depth map's values as a whole; `nil` when it does not decode.
    public let depth: DepthMap.Summary?
    /// The metadata; `nil` when they cannot be read.
    public let metadata: CaptureMetadata?
    /// Why the metadata cannot be read.
    public let metadataError: MetadataError?

    /// The first failed check that rejects the capture, if one does.
    public var rejection: Reason? {
        checks.first { $0.outcome == .fail && $0.reason?.isDecisive ?? false }?.reason
    }

    /// The reasons of the failed checks that only warn.
    public var warnings: [Reason] {
        checks.compactMap { $0.outcome == .fail && $0.reason?.isDecisive == false ? $0.reason : nil }
    }
}
