import CaptureQueue

/// The bytes of a capture as fetched, with their digests.
struct HashedMedia: Sendable {
    let content: Content
    /// The capture's share of the time that hashing took, by its bytes.
    var time = Duration.zero

    enum Content: Sendable {
        /// The bytes; their digests have not been compared with the accepted ones yet.
        case found(CaptureMedia, BundleDigests)
        /// The bytes are gone, or nobody needs them: the job cannot be read, or they are too many.
        case missing
        /// The bytes cannot be read now; the text says why and is safe for logs.
        case unreadable(String)
    }
}
