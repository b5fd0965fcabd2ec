import Hummingbird
import NIOCore

/// A picture, with its place among the few that may be in memory.
struct Picture: Sendable {
    let bytes: ByteBuffer
    /// Held until the picture is written, or nobody wants it any more.
    let place: PicturePlace

    /// The bytes that are handed to a connection at a time: a slow reader keeps the place.
    private static let pieceBytes = 1 << 16

    /// Writes the picture in copied pieces: a slice that waits in a connection would keep the whole in memory.
    var body: ResponseBody {
        ResponseBody(contentLength: bytes.readableBytes) { [bytes, place] writer in
            var rest = bytes
            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceBytes)), piece.readableBytes > 0
            {
                try await writer.write(ByteBuffer(bytes: piece.readableBytesView))
            }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }
}
