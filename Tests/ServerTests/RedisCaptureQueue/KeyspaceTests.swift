import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Keys, partitions and the bytes under them.
@Suite(.timeLimit(.minutes(1)))
struct KeyspaceTests {
    @Test(arguments: [("cq", 0), ("cq", 3), ("cq", 2048), ("", 1), ("a{b", 1), ("a b", 1)])
    func `names and partitions out of range are refused`(queue: String, partitions: Int) {
        #expect(Keyspace(queue: queue, partitions: partitions) == nil)
    }

    @Test func `a device's partition is its slot on a cluster, modulo the partitions`() throws {
        // The slots are what CLUSTER KEYSLOT of Redis 7.0 answers.
        let keyspace = try #require(Keyspace(partitions: 16))
        for (text, slot) in Self.slots {
            let device = try #require(DeviceID(text))
            #expect(keyspace.partition(of: device).number == slot % 16)
        }
    }

    @Test func `all keys of a device share its partition's hash tag`() throws {
        let device = try #require(DeviceID("0f8fad5b-d9cb-469f-a165-70867728950e"))
        let capture = try #require(CaptureID("01a1fc67-55f8-7b2b-980e-88715a91d3d7"))
        let keys = Keyspace.standard.partition(of: device)
        #expect(keys.lane(device) == "{cq:0}:lane:0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(keys.photo(capture) == "{cq:0}:photo:01a1fc67-55f8-7b2b-980e-88715a91d3d7")
        let names = [keys.ready, keys.delayed, keys.heads, keys.laneBytes, keys.dead, keys.stats, keys.events]
        #expect(names.allSatisfy { $0.hasPrefix("{cq:0}:") && !$0.hasPrefix("{cq:0}:lane:") })
    }

    @Test func `bytes vanish unless their capture is enqueued`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 1)
            let (orphan, kept) = (maker.submission(of: maker.device()), maker.submission(of: maker.device()))
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
            for capture in [orphan, kept] {
                try await fixture.bundles.put(media, of: capture)
            }
            #expect(try await fixture.queue().enqueue(kept) == .accepted)
            func lifetime(_ capture: CaptureSubmission) async throws -> Int? {
                try await fixture.redis(
                    "TTL", .string(fixture.keyspace.partition(of: capture.device).photo(capture.id))
                )
                .int
            }
            #expect(try await lifetime(kept) == -1)
            #expect(try await lifetime(orphan).map { (1...900).contains($0) } == true)
            #expect(try await fixture.bundles.fetch([kept, orphan]) == [.found(media), .found(media)])
            for capture in [orphan, kept] { try await fixture.bundles.remove(capture) }
            let left = try await fixture.bundles.fetch([kept, orphan])
            #expect(left == [.found(media), .missing], "what was enqueued is the queue's")
        }
    }

    @Test func `bytes of a live capture are never overwritten or removed by another upload`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 2)
            let first = maker.submission(of: maker.device())
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
            let other = CaptureMedia(photo: ByteBuffer(bytes: [9, 9, 9]), depth: ByteBuffer(bytes: [9, 9]))
            try await fixture.bundles.put(media, of: first)
            _ = try await fixture.queue().enqueue(first)
            try await fixture.bundles.put(other, of: first)
            let thief = maker.submission(of: first.device, id: first.id)
            await #expect(throws: QueueError(.refused, "")) { try await fixture.queue().enqueue(thief) }
            #expect(try await fixture.bundles.fetch([first]) == [.found(media)])
        }
    }

    @Test func `bytes of a live capture stay where another bundle comes again under its id`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let first = maker.submission(of: maker.device())
            let second = maker.submission(of: first.device)
            let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
            try await fixture.bundles.put(media, of: first)
            #expect(try await fixture.queue().enqueue(first) == .accepted)
            #expect(try await fixture.upload(second) == .accepted)
            let mixed = maker.submission(of: first.device, id: first.id, digest: second.bundleDigest)
            #expect(try await fixture.queue().enqueue(mixed) == .duplicate(of: second.id))
            #expect(try await fixture.bundles.fetch([first]) == [.found(media)])
        }
    }

    private static let slots = [
        ("0f8fad5b-d9cb-469f-a165-70867728950e", 13_976), ("00000000-0000-4000-8000-000000000000", 2_261),
    ]
}
