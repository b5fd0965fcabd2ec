import CaptureModel
import struct Crypto.SHA256
import DeviceSimulator
import MultiBufferSHA256
import NIOCore
import TestSupport
import Testing

/// Everything against swift-crypto, which hashes one message after the other.
@Suite struct MessageHasherTests {
    private static let seed = testSeed("multi-buffer SHA-256")

    /// A buffer whose bytes begin anywhere in memory.
    private static func buffer(_ count: Int, _ random: inout SeededGenerator) -> ByteBuffer {
        let offset = Int.random(in: 0..<64, using: &random)
        var buffer = ByteBuffer(bytes: (0..<(offset + count)).map { _ in UInt8.random(in: 0...255, using: &random) })
        buffer.moveReaderIndex(forwardBy: offset)
        return buffer
    }

    private static func expected(_ message: HashedMessage) -> (head: SHA256Digest, whole: SHA256Digest) {
        let head = Array(message.head.readableBytesView)
        let whole = head + (message.tail.map { Array($0.readableBytesView) } ?? [])
        return (SHA256Digest(SHA256.hash(data: head)), SHA256Digest(SHA256.hash(data: whole)))
    }

    private func check(
        _ messages: [HashedMessage], _ width: HashingWidth, _ what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let digests = MessageHasher(width: width).digests(of: messages)
        #expect(digests.count == messages.count, sourceLocation: sourceLocation)
        for (index, (message, digest)) in zip(messages, digests).enumerated() {
            let expected = Self.expected(message)
            #expect(
                digest.head == expected.head, "\(what), message \(index): head of \(message.head.readableBytes)",
                sourceLocation: sourceLocation)
            #expect(
                digest.whole == expected.whole, "\(what), message \(index): \(message.count) bytes in all",
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: HashingWidth.allCases)
    func `every length up to a thousand hashes as swift-crypto hashes it`(_ width: HashingWidth) throws {
        try width.orCancel()
        var random = SeededGenerator(seed: Self.seed)
        let messages = (0...1_000).map { HashedMessage(Self.buffer($0, &random)) }
        check(messages, width, "all at once, the longest first")
        check(messages.shuffled(using: &random), width, "shuffled")
    }

    @Test(arguments: HashingWidth.allCases)
    func `every lane gives the digest of its own message`(_ width: HashingWidth) throws {
        try width.orCancel()
        var random = SeededGenerator(seed: Self.seed)
        for lane in 0..<width.lanes {
            // No more messages than lanes are taken in their order: the message at `lane` is in that lane.
            for odd in [0, 55, 56, 64, 700, 3_000] {
                let messages = (0..<width.lanes).map {
                    HashedMessage(Self.buffer($0 == lane ? odd : 640, &random))
                }
                check(messages, width, "\(odd) bytes in lane \(lane), 640 in the others")
            }
        }
    }

    @Test(arguments: HashingWidth.allCases)
    func `a message of two parts gives the digest of the first and of both`(_ width: HashingWidth) throws {
        try width.orCancel()
        var random = SeededGenerator(seed: Self.seed)
        // Around the ends of blocks, where padding and joining change their form.
        let lengths = [0, 1, 8, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 300]
        let messages = lengths.flatMap { head in
            lengths.map { tail in HashedMessage(Self.buffer(head, &random), then: Self.buffer(tail, &random)) }
        }
        check(messages, width, "two parts")
        for message in messages.shuffled(using: &random).prefix(30) { check([message], width, "alone") }
    }

    @Test(arguments: HashingWidth.allCases)
    func `any number of messages of any lengths hash as swift-crypto hashes them`(_ width: HashingWidth) throws {
        try width.orCancel()
        var random = SeededGenerator(seed: Self.seed)
        for round in 0..<30 {
            let messages = (0..<Int.random(in: 0...50, using: &random)).map { _ in
                // Few long ones among many short ones, as bundles are.
                let most = [70, 200, 5_000, 40_000][Int.random(in: 0..<(round % 5 == 0 ? 4 : 3), using: &random)]
                let head = Self.buffer(Int.random(in: 0...most, using: &random), &random)
                return Bool.random(using: &random)
                    ? HashedMessage(head)
                    : HashedMessage(head, then: Self.buffer(Int.random(in: 0...most, using: &random), &random))
            }
            check(messages, width, "round \(round) of seed \(Self.seed)")
        }
    }

    @Test func `nothing to hash gives nothing`() {
        #expect(MessageHasher().digests(of: []).isEmpty)
    }

    @Test func `a buffer that was never filled is the empty message`() {
        let digests = MessageHasher().digests(of: [
            HashedMessage(ByteBuffer()), HashedMessage(ByteBuffer(), then: ByteBuffer()),
        ])
        let empty = SHA256Digest(SHA256.hash(data: [UInt8]()))
        #expect(digests.map(\.head) == [empty, empty] && digests.map(\.whole) == [empty, empty])
    }
}
