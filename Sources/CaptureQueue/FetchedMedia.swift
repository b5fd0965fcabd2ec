/// The result of fetching one capture's bytes.
package enum FetchedMedia: Sendable, Equatable {
    /// The bytes, whose digests are still to be checked.
    case found(CaptureMedia)
    /// They are gone.
    case missing
    /// They cannot be read now; the text says why and is safe for logs.
    case unreadable(String)

    /// The bytes, if they were found.
    package var media: CaptureMedia? {
        if case .found(let media) = self { media } else { nil }
    }
}
