import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("Captures that a queue gets back after a loss", .timeLimit(.minutes(3)))
struct RestoredCapturesTests {
    @Test func `a queue after a loss gets captures back in their order, as they were, beyond all limits`() async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 5)
            let device = maker.device()
            let uploads = (0..<150).map { number in
                maker.submission(
                    of: device, receivedAt: Timestamp(millisecondsSince1970: 1_700_000_000_000 - Int64(number)))
            }
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            for upload in uploads { try await fixture.store(upload) }
            try await fixture.redis("HSET", .string("{\(fixture.keyspace.queue):0}:limits"), "captures_max", 1)
            let outcomes = try await queue.restore(
                uploads.map { LostCapture(submission: $0, isRedriven: false) }, in: 0, under: .numbered(1))
            #expect(outcomes == [RestoreOutcome](repeating: .restored, count: 150))
            let again = try await queue.restore(
                [LostCapture(submission: uploads[3], isRedriven: false)], in: 0, under: .numbered(1))
            #expect(again == [.known])
            #expect(try await queue.presence(of: [(uploads[3].id, device)]) == [.known])
            let lease = try await queue.claimOne(captures: 64)
            #expect(lease.ids == uploads.prefix(64).map(\.id))
            guard case .valid(let job) = lease.jobs[7] else { throw QueueError(.malformedReply, "") }
            #expect(job.submission == uploads[7])
            #expect(!job.isRedriven)
            #expect(try await fixture.bundles.fetch([uploads[149]])[0].media != nil)
            let load = try await queue.load()
            #expect(load.captures == 150 && load.bytes == 750 && load.readyLanes == 0 && load.leasedLanes == 1)
        }
    }

    @Test func `a queue after a loss takes a capture once more that came back while its bundle led elsewhere`()
        async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            var maker = SubmissionMaker(seed: 6)
            let first = maker.submission(of: maker.device())
            try await fixture.upload(first)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            try await fixture.redis("DEL", .string(fixture.keyspace.partition(of: first.device).settled(first.id)))
            // The second upload counts as a duplicate of a capture that no longer exists; its gateway is killed, its
            // bytes expire, and the reconciler finds its row.
            let again = maker.submission(of: first.device, digest: first.bundleDigest)
            #expect(try await fixture.upload(again) == .duplicate(of: first.id))
            try await fixture.bundles.remove(again)
            let lost = LostCapture(submission: again, isRedriven: false)
            #expect(try await queue.restore([lost], in: 0, under: .numbered(1)) == [.accepted(as: first.id)])
            let beside = lost.placed(beside: first.id)
            #expect(try await queue.restore([beside], in: 0, under: .numbered(1)) == [.lost])
            #expect(try await queue.forget(first.bundleDigest, of: first.device, acceptedAs: first.id))
            #expect(try await fixture.upload(again) == .accepted)
            #expect(try await queue.load().captures == 1)
            let photo = fixture.keyspace.partition(of: first.device).photo(again.id)
            #expect(try await fixture.redis("TTL", .string(photo)).int == -1, "its bytes stay")
            let third = maker.submission(of: first.device, digest: first.bundleDigest)
            #expect(try await fixture.upload(third) == .duplicate(of: again.id))
            await #expect(throws: QueueError(.refused, "")) {
                try await fixture.upload(maker.submission(of: first.device, id: again.id))
            }
        }
    }

    /// As after a restored backup, when what Redis says of settled captures is taken away.
    @Test func `a queue after a loss keeps a bundle known whose capture was settled and comes back`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            let upload = SubmissionMaker.submission(seed: 8)
            try await fixture.upload(upload)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            let keys = fixture.keyspace.partition(of: upload.device)
            #expect(try await fixture.redis("PTTL", .string(keys.accepted(upload.bundleDigest))).int != -1)
            try await fixture.redis("DEL", .string(keys.settled(upload.id)))
            try await fixture.store(upload)
            let lost = LostCapture(submission: upload, isRedriven: false)
            #expect(try await queue.restore([lost], in: 0, under: .numbered(1)) == [.restored])
            #expect(try await fixture.redis("PTTL", .string(keys.accepted(upload.bundleDigest))).int == -1)
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    /// Somebody has written it to Redis, or the record has lost the result.
    @Test func `a queue takes a capture back that it calls settled only where it is told to forget that`() async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            try await queue.markRestored(1)
            let upload = SubmissionMaker.submission(seed: 10)
            try await fixture.upload(upload)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            #expect(try await queue.presence(of: [(upload.id, upload.device)]) == [.settled])
            try await fixture.store(upload)
            let known = LostCapture(submission: upload, isRedriven: false)
            #expect(try await queue.restore([known], in: 0, under: .numbered(1)) == [.known])
            let lost = LostCapture(submission: upload, isRedriven: false, isCalledSettled: true)
            #expect(try await queue.restore([lost], in: 0, under: .numbered(1)) == [.restored])
            #expect(try await queue.presence(of: [(upload.id, upload.device)]) == [.known])
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
            #expect(try await queue.claimOne().ids == [upload.id])
        }
    }

    @Test func `a queue after a loss gives nobody a time that is to come`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 7)
            let tomorrow = Timestamp(Date()).advanced(by: .seconds(86_400))
            let upload = maker.submission(of: maker.device(), receivedAt: tomorrow)
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            try await fixture.store(upload)
            let outcomes = try await queue.restore(
                [LostCapture(submission: upload, isRedriven: false)], in: 0, under: .numbered(1))
            #expect(outcomes == [.restored])
            guard case .valid(let job) = try await queue.claimOne().jobs.first else {
                throw QueueError(.malformedReply, "")
            }
            #expect(job.receivedAt < tomorrow.advanced(by: .seconds(-3600)))
        }
    }

    @Test func `a queue after a loss names the captures whose bytes are gone, and says who was a dead letter`()
        async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 6)
            let uploads = (0..<3).map { _ in maker.submission(of: maker.device(), receivedAt: moment(1)) }
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            try await fixture.store(uploads[1])
            let outcomes = try await queue.restore(
                uploads.enumerated().map { LostCapture(submission: $1, isRedriven: $0 == 2) }, in: 0,
                under: .numbered(1))
            #expect(outcomes == [.lost, .restored, .lost])
            let leases = try await queue.claimNow()
            let jobs = leases.flatMap(\.jobs).compactMap { if case .valid(let job) = $0 { job } else { nil } }
            #expect(Set(jobs.filter(\.isRedriven).map(\.id)) == [uploads[2].id])
            #expect(try await fixture.bundles.fetch(uploads).map { $0.media != nil } == [false, true, false])
        }
    }

    @Test func `a queue after a loss takes bytes that are stored again for a capture that it has`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            let upload = SubmissionMaker.submission(seed: 6)
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            let lost = LostCapture(submission: upload, isRedriven: false)
            #expect(try await queue.restore([lost], in: 0, under: .numbered(1)) == [.lost])
            #expect(try await fixture.upload(upload) == .accepted)
            let key = fixture.keyspace.partition(of: upload.device).photo(upload.id)
            #expect(try await fixture.redis("PTTL", .string(key)).int == -1, "they belong to the capture")
        }
    }

    @Test func `a queue after a loss does not let one malformed capture keep the others out`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 6)
            let device = maker.device()
            let good = (0..<2).map { _ in maker.submission(of: device) }
            let bad = CaptureSubmission(
                id: maker.submission(of: device).id, device: device, bundleDigest: .hash([7]), binding: .concatV1,
                assertion: [UInt8](repeating: 0, count: 20_000), metadata: [1], photoDigest: .hash([1]),
                depthDigest: .hash([2]), photoBytes: 1, depthBytes: 1, receivedAt: nil, traceParent: nil)
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            let outcomes = try await queue.restore(
                [good[0], bad, good[1]].map { LostCapture(submission: $0, isRedriven: false) }, in: 0,
                under: .numbered(1))
            #expect(outcomes == [.lost, .invalid("INVALID assertion: not 1 to 16384 bytes"), .lost])
            #expect(try await queue.claimOne().ids == good.map(\.id))
        }
    }

    @Test func `a queue after a loss keeps nothing of a capture whose lane's key is damaged, and takes it afterwards`()
        async throws
    {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 8)
            let devices = [maker.device(), maker.device()]
            let captures = [devices[0], devices[1], devices[0]].map {
                LostCapture(submission: maker.submission(of: $0), isRedriven: false)
            }
            let key = fixture.keyspace[0].lane(devices[1])
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            try await fixture.redis("SET", .string(key), "x")
            let outcomes = try await queue.restore(captures, in: 0, under: .numbered(1))
            #expect(outcomes == [.lost, .invalid("INVALID lane: \(key) is no list"), .lost])
            try await fixture.redis("DEL", .string(key))
            #expect(try await queue.restore(captures, in: 0, under: .numbered(1)) == [.known, .lost, .known])
        }
    }

    @Test func `a queue after a loss keeps nothing at all while a key that every lane needs is damaged`() async throws {
        try await QueueFixture.withGatewaysOfLedger { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 9)
            let captures = (0..<2).map { _ in
                LostCapture(submission: maker.submission(of: maker.device()), isRedriven: false)
            }
            _ = try await queue.beginRestoration(of: 0, mark: .numbered(1))
            let key = RedisArgument.string(fixture.keyspace[0].heads)
            try await fixture.redis("SET", key, "x")
            let before = try await fixture.keys()
            await #expect(throws: QueueError(.refused, "")) {
                _ = try await queue.restore(captures, in: 0, under: .numbered(1))
            }
            #expect(try await fixture.keys() == before)
            try await fixture.redis("DEL", key)
            #expect(try await queue.restore(captures, in: 0, under: .numbered(1)) == [.lost, .lost])
        }
    }
}
