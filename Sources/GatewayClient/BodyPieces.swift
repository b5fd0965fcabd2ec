import AsyncHTTPClient
import NIOCore

/// A request's body in pieces, each given when the one before has left or the connection has no room for it.
///
/// A gateway may answer in the middle of a body and close: that is how it refuses an upload that is too large. The HTTP
/// client reads such an answer only until it is given the body's end. After that it closes as well, and reports the
/// bytes that it can no longer send as the call's failure. So the body must not run ahead of the connection.
struct BodyPieces: AsyncSequence, Sendable {
    /// The most bytes of a piece.
    static let pieceBytesMax = 64 << 10

    private let bytes: ByteBuffer
    /// The event loops, one of which serves the connection.
    private let group: any EventLoopGroup

    /// The body for a client on these event loops; one that is no longer than a piece is sent at once.
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

        /// Waits until the loops have run their earlier tasks, among them the writing of the last piece.
        private func written() async throws {
            for loop in group.makeIterator() { try await loop.submit {}.get() }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
