package import NIOCore

/// The media of a capture: photo and depth map, without the rest of the bundle.
package struct CaptureMedia: Sendable, Equatable {
    /// Which of the two.
    package enum Part: String, CaseIterable, Sendable {
        case photo
        case depth
    }

    /// The photo's bytes as uploaded.
    package var photo: ByteBuffer
    /// The depth map's bytes as uploaded.
    package var depth: ByteBuffer

    /// Memberwise.
    package init(photo: ByteBuffer, depth: ByteBuffer) {
        self.photo = photo
        self.depth = depth
    }

    /// The sum of the two sizes.
    package var bytes: Int { photo.readableBytes + depth.readableBytes }
}
