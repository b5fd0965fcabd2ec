import AsyncHTTPClient
import NIOCore

/// A request's body in pieces, each given when the one before has left or the connection has no room for it.
///
/// A gateway may answer in the middle of a body and close: that is how it refuses an upload that is too large. The HTTP
/// client hears the answer only as long as it has not been given the body's end; after that it closes as well, and
/// takes what it can no longer send for the call's failure. So the body must not run ahead of the connection.
struct BodyPieces: AsyncSequence, Sendable {
    /// The bytes of a piece, at the most.
    static let pieceBytesMax = 64 << 10

    private let bytes: ByteBuffer
    /// Where the connection is, on one loop or another.
    private let group: any EventLoopGroup

    /// A body for a client on some event loops; what is one piece only leaves in one go.
    static func body(_ bytes: ByteBuffer, on group: any EventLoopGroup) -> HTTPClientRequest.Body {
        if bytes.readableBytes <= pieceBytesMax { return .bytes(bytes) }
        return .stream(BodyPieces(bytes: bytes, group: group), length: .known(Int64(bytes.readableBytes)))
    }

    struct Iterator: AsyncIteratorProtocol {
        private var rest: ByteBuffer
        private let group: any EventLoopGroup
        private var isFirst = true
        private var isOver = false

        init(_ pieces: BodyPieces) {
            (rest, group) = (pieces.bytes, pieces.group)
        }

        /// The last piece is empty: the client waits for room before it, and so before the body's end.
        mutating func next() async throws -> ByteBuffer? {
            if isOver { return nil }
            if !isFirst { try await written() }
            isFirst = false
            isOver = rest.readableBytes == 0
            return rest.readSlice(length: Swift.min(rest.readableBytes, pieceBytesMax))
        }

        /// Waits until the loops have done what they were told, of which the last piece's writing is a part.
        private func written() async throws {
            for loop in group.makeIterator() { try await loop.submit {}.get() }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
