import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import RedisCaptureQueue
import Synchronization
import TestSupport
import Testing

@Suite("How bundles are asked for", .timeLimit(.minutes(1)))
struct BundleFetchTests {
    /// Redis gathers the answers to everything that it has read before it sends the first: with all large bundles of a
    /// batch asked for at once, each pipeline of each worker would take a batch's bytes of its memory.
    @Test func `large bundles are asked for one after the other, small ones together`() async throws {
        #expect(try await askedTogether(photoBytes: 3_000_000) == [1, 1, 1])
        #expect(try await askedTogether(photoBytes: 4_096) == [3])
    }

    /// The functions accepted such captures once, and workers ask for the bytes before they look at anything.
    @Test(arguments: [1, 4])
    func `empty bundles are asked for like others`(partitions: Int) async throws {
        try await QueueFixture.with(partitions: partitions) { fixture in
            var maker = SubmissionMaker(seed: 3)
            let captures = (0..<8).map { number in
                let size = number.isMultiple(of: 3) ? 0 : 4
                return maker.submission(of: maker.device(), photoBytes: size, depthBytes: size)
            }
            var expected: [FetchedMedia] = []
            for capture in captures {
                let media = CaptureMedia(
                    photo: ByteBuffer(repeating: 1, count: capture.photoBytes),
                    depth: ByteBuffer(repeating: 2, count: capture.depthBytes))
                try await fixture.bundles.put(media, of: capture)
                expected.append(.found(media))
            }
            #expect(try await fixture.bundles.fetch(captures) == expected)
            #expect(try await fixture.bundles.fetch([captures[0]]) == [expected[0]])
        }
    }

    @Test func `bytes are not missing where a server says it that is a replica`() async throws {
        let absent = "*2\r\n$-1\r\n$-1\r\n"
        let writes = Notes()
        try await FakeRedis.with { request in
            guard String(buffer: request).contains("PERSIST") else { return ByteBuffer(string: absent) }
            writes.note(1)
            return ByteBuffer(string: "-READONLY You can't write against a read only replica.\r\n" + absent)
        } _: { server in
            try await RedisFixture.withClient(server.url) { client in
                let submission = SubmissionMaker.submission(seed: 2)
                await #expect(throws: QueueError(.unavailable, "")) {
                    _ = try await RedisBundleStore(client: client).fetch([submission])
                }
                #expect(writes.numbers == [1])
            }
        }
    }

    /// How many bundles of three were asked for each time before the answer came.
    private func askedTogether(photoBytes: Int) async throws -> [Int] {
        var maker = SubmissionMaker(seed: 1)
        let submissions = (0..<3).map { _ in maker.submission(of: maker.device(), photoBytes: photoBytes) }
        let asked = Notes()
        try await FakeRedis.with { request in
            let text = String(buffer: request)
            let commands = text.components(separatedBy: "MGET").dropFirst()
            let keys = commands.map { $0.components(separatedBy: ":photo:").count - 1 }
            asked.note(keys.reduce(0, +))
            return ByteBuffer(
                string: keys.map { "*\($0 * 2)\r\n" + String(repeating: "$3\r\nabc\r\n$1\r\nd\r\n", count: $0) }
                    .joined())
        } _: { server in
            try await RedisFixture.withClient(server.url) { client in
                let fetched = try await RedisBundleStore(client: client).fetch(submissions)
                let media = CaptureMedia(photo: ByteBuffer(string: "abc"), depth: ByteBuffer(string: "d"))
                #expect(fetched == [FetchedMedia](repeating: .found(media), count: 3))
            }
        }
        return asked.numbers
    }

    /// What the server's script notes from its event loop.
    private final class Notes: Sendable {
        private let noted = Mutex<[Int]>([])

        var numbers: [Int] { noted.withLock { $0 } }

        func note(_ number: Int) { noted.withLock { $0.append(number) } }
    }
}
