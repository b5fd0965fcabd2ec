import CaptureModel
import CaptureQueue
import FilesystemBundleStore
import Foundation
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The stores that the suite runs against.
enum ConformingBundles: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case memory, redis, filesystem

    var testDescription: String { rawValue }

    /// Lends an empty store.
    func with(_ body: (any BundleStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryBundleStore())
        case .redis: try await QueueFixture.with { try await body($0.bundles) }
        case .filesystem:
            let directory = try TemporaryDirectory.make("bundles")
            defer { try? FileManager.default.removeItem(at: directory) }
            let store = FilesystemBundleStore(directory: directory.path)
            try await store.prepare(for: InstallationID(UUID()))
            try await body(store)
        }
    }
}

@Suite("Every bundle store keeps to the same rules", .timeLimit(.minutes(2)))
struct BundleStoreConformanceTests {
    private static let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))

    private func submissions(_ count: Int, photoBytes: Int = 3) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        return (0..<count).map { _ in maker.submission(of: device, photoBytes: photoBytes) }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `what was put is fetched, in the order asked, and what was not is missing`(kind: ConformingBundles)
        async throws
    {
        try await kind.with { store in
            let captures = submissions(3)
            for capture in captures.dropLast() { try await store.put(Self.media, of: capture) }
            let found = FetchedMedia.found(Self.media)
            #expect(try await store.fetch([captures[2], captures[1], captures[0]]) == [.missing, found, found])
            #expect(try await store.fetch([]) == [])
        }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `putting the same bytes again is harmless`(kind: ConformingBundles) async throws {
        try await kind.with { store in
            let capture = submissions(1)[0]
            for _ in 0..<3 { try await store.put(Self.media, of: capture) }
            #expect(try await store.fetch([capture]) == [.found(Self.media)])
        }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `bytes that are there are never overwritten`(kind: ConformingBundles) async throws {
        try await kind.with { store in
            let capture = submissions(1)[0]
            let other = CaptureMedia(photo: ByteBuffer(bytes: [9, 9, 9]), depth: ByteBuffer(bytes: [9, 9]))
            try await store.put(Self.media, of: capture)
            try await store.put(other, of: capture)
            #expect(try await store.fetch([capture]) == [.found(Self.media)])
        }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `bytes that are there are replaced on demand, and what is gone stays gone`(kind: ConformingBundles)
        async throws
    {
        try await kind.with { store in
            let captures = submissions(2)
            let changed = CaptureMedia(photo: ByteBuffer(bytes: [9, 9, 9]), depth: ByteBuffer(bytes: [9, 9]))
            try await store.put(changed, of: captures[0])
            for capture in captures { try await store.replace(Self.media, of: capture) }
            #expect(try await store.fetch(captures) == [.found(Self.media), .missing])
        }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `removing takes one capture's bytes, and may be repeated`(kind: ConformingBundles) async throws {
        try await kind.with { store in
            // Equal bytes of two captures: neither loses them with the other.
            let captures = submissions(2)
            for capture in captures { try await store.put(Self.media, of: capture) }
            for _ in 0..<2 { try await store.remove(captures[0]) }
            try await store.removeSettled([])
            #expect(try await store.fetch(captures) == [.missing, .found(Self.media)])
        }
    }

    @Test(arguments: ConformingBundles.allCases)
    func `bytes of every size come back as they were`(kind: ConformingBundles) async throws {
        try await kind.with { store in
            for size in [0, 1, 4096, 3_000_001] {
                let capture = submissions(1, photoBytes: size)[0]
                let photo = ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                let media = CaptureMedia(photo: photo, depth: ByteBuffer(bytes: [4, 5]))
                try await store.put(media, of: capture)
                #expect(try await store.fetch([capture]) == [.found(media)])
                try await store.remove(capture)
            }
        }
    }
}

@Suite("Bytes in Redis that are something else", .timeLimit(.minutes(2)))
struct RedisBundleFaultTests {
    @Test func `concern their own capture, and a missing permission concerns everybody`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 3)
            let device = maker.device()
            let captures = (0..<3).map { _ in maker.submission(of: device) }
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))
            for capture in captures { try await fixture.bundles.put(media, of: capture) }
            let photo = fixture.keyspace.partition(of: device).photo(captures[1].id)
            try await fixture.redis("DEL", .string(photo))
            try await fixture.redis("RPUSH", .string(photo), "x")
            let fetched = try await fixture.bundles.fetch(captures)
            #expect(fetched[0] == .found(media) && fetched[2] == .found(media))
            #expect(fetched[1] == .missing)
            try await fixture.redis("ACL", "SETUSER", "default", "-mget")
            await #expect(throws: QueueError(.refused, "")) { try await fixture.bundles.fetch(captures) }
        }
    }
}
