package import CaptureModel
package import NIOCore

/// Hashes many messages at once with SHA-256 (FIPS 180-4), each in a lane of the processor's registers.
///
/// ```swift
/// let photos = bundles.map { HashedMessage($0.photo) }
/// let digests = MessageHasher().digests(of: photos)
/// ```
///
/// A lane takes the next message as soon as it is done with one, the longest first, so that unequal lengths keep the
/// lanes busy. No byte is copied but the last ones of a part, which are padded to a block. It works on the caller's
/// thread until all is hashed; whoever has much to hash hands it out in portions.
package struct MessageHasher: Sendable {
    /// How many messages are worked on side by side, and with which instructions.
    package let width: HashingWidth

    /// Takes the width that is fastest on this processor, unless told another one that it has.
    package init(width: HashingWidth = .fastest) {
        precondition(width.isAvailable, "this processor has no \(width) lanes")
        self.width = width
    }

    /// The lanes that so many messages of about one length keep busy.
    package func lanes(for messages: Int) -> Int {
        messages < width.lanesWorthwhile ? width.narrower.lanes : width.lanes
    }

    /// The digests of the messages, in their order.
    package func digests(of messages: [HashedMessage]) -> [MessageDigests] {
        var digests = [MessageDigests?](repeating: nil, count: messages.count)
        var lanes = LaneGroup(width: width)
        // The messages hold the buffers' storage, so nobody can move or change the bytes that the lanes read.
        withExtendedLifetime(messages) {
            lanes.hash(messages, inOrder: longestFirst(messages)) { message, part, digest in
                switch part {
                case .head: digests[message] = MessageDigests(head: digest, whole: digest)
                case .whole: digests[message] = MessageDigests(head: digests[message]?.head ?? digest, whole: digest)
                }
            }
        }
        return digests.map { digest in
            guard let digest else { preconditionFailure("a message has left the lanes without its digest") }
            return digest
        }
    }

    /// What is long begins first, lest it be alone at the end; for a few messages there is nothing to choose.
    private func longestFirst(_ messages: [HashedMessage]) -> [Int] {
        guard messages.count > width.lanes else { return Array(messages.indices) }
        return messages.indices.sorted { messages[$0].count > messages[$1].count }
    }
}

/// What is hashed: the bytes of a buffer, or of two as if they were one.
package struct HashedMessage: Sendable {
    /// The first part, which has a digest of its own.
    package let head: ByteBuffer
    /// What follows on it in the whole message, if anything does.
    package let tail: ByteBuffer?

    /// Takes the readable bytes of a buffer as the message.
    package init(_ bytes: ByteBuffer) {
        head = bytes
        tail = nil
    }

    /// Takes two buffers for the digest of the first and that of both, and reads the first only once.
    package init(_ head: ByteBuffer, then tail: ByteBuffer) {
        self.head = head
        self.tail = tail
    }

    /// The bytes of the whole message.
    package var count: Int { head.readableBytes + (tail?.readableBytes ?? 0) }
}

/// What a message came to.
package struct MessageDigests: Sendable, Equatable {
    /// The SHA-256 of the first part.
    package let head: SHA256Digest
    /// The SHA-256 of the whole message; that of the first part where it has no other.
    package let whole: SHA256Digest
}
