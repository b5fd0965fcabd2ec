package import CaptureModel
package import NIOCore

/// Hashes many messages at once with SHA-256 (FIPS 180-4), each in a lane of the processor's registers.
///
/// ```swift
/// let photos = bundles.map { HashedMessage($0.photo) }
/// let digests = MessageHasher().digests(of: photos)
/// ```
///
/// A lane takes the next message as soon as it has finished one, the longest first, so that unequal lengths keep the
/// lanes busy. Only the last bytes of a part, which are padded to a block, are copied. It works on the caller's thread
/// until all messages are hashed; a caller with many messages should pass them in portions.
package struct MessageHasher: Sendable {
    /// The number of messages side by side, and the instructions.
    package let width: HashingWidth

    /// Takes a width that this processor has; by default the fastest one.
    package init(width: HashingWidth = .fastest) {
        precondition(width.isAvailable, "this processor has no \(width) lanes")
        self.width = width
    }

    /// The number of lanes that `messages` messages of about one length keep busy.
    package func lanes(for messages: Int) -> Int {
        messages < width.lanesWorthwhile ? width.narrower.lanes : width.lanes
    }

    /// The digests of the messages, in their order.
    package func digests(of messages: [HashedMessage]) -> [MessageDigests] {
        var digests = [MessageDigests?](repeating: nil, count: messages.count)
        var lanes = LaneGroup(width: width)
        // The messages hold the buffers' storage, so that the bytes that the lanes read neither move nor change.
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

    /// Long messages begin first, lest one be alone at the end; when all fit into the lanes, the order does not matter.
    private func longestFirst(_ messages: [HashedMessage]) -> [Int] {
        guard messages.count > width.lanes else { return Array(messages.indices) }
        return messages.indices.sorted { messages[$0].count > messages[$1].count }
    }
}

/// A message to be hashed: the bytes of one buffer, or of two joined.
package struct HashedMessage: Sendable {
    /// The first part, which has a digest of its own.
    package let head: ByteBuffer
    /// The rest of the whole message, if there is any.
    package let tail: ByteBuffer?

    /// Takes the readable bytes of a buffer as the message.
    package init(_ bytes: ByteBuffer) {
        head = bytes
        tail = nil
    }

    /// Takes two buffers for the digests of the first and of both joined; the first is read only once.
    package init(_ head: ByteBuffer, then tail: ByteBuffer) {
        self.head = head
        self.tail = tail
    }

    /// The bytes of the whole message.
    package var count: Int { head.readableBytes + (tail?.readableBytes ?? 0) }
}

/// The digests of a message.
package struct MessageDigests: Sendable, Equatable {
    /// The SHA-256 of the first part.
    package let head: SHA256Digest
    /// The SHA-256 of the whole message; equal to ``head`` when it has only the first part.
    package let whole: SHA256Digest
}
