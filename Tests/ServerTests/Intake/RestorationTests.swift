import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

@Suite("A queue that may have lost data", .timeLimit(.minutes(3)))
struct RestorationTests {
    /// What takes data, or the knowledge of data, away.
    enum Loss: CaseIterable, Sendable {
        case flushed, restarted, restartedWithoutFile, functionsLoadedAgain, functionsGone

        func happen(to fixture: QueueFixture) async throws {
            switch self {
            case .flushed: try await fixture.redis("FLUSHALL")
            case .restarted:
                try await fixture.server.kill()
                try await fixture.server.restart()
            case .restartedWithoutFile:
                try await fixture.server.kill()
                try FileManager.default.removeItem(at: fixture.server.directory.appendingPathComponent("appendonlydir"))
                try await fixture.server.restart()
            case .functionsLoadedAgain:
                try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(FunctionLibrary.current.source))
            case .functionsGone: try await fixture.redis("FUNCTION", "FLUSH")
            }
            try await eventually { (try? await fixture.redis("PING")) != nil }
        }
    }

    private func withFixture(_ body: (QueueFixture) async throws -> Void) async throws {
        let server = try await PrivateRedis.start()
        var configuration = RedisQueueConfiguration.ofTests
        configuration.hasLedger = true
        try await QueueFixture.with(server, configuration: configuration, body)
        try await server.stop()
    }

    private static func mark(_ number: Int) -> RestorationMark {
        RestorationMark(text: "00000000-0000-4000-8000-00000000000\(number)")
    }

    private func restored(_ queue: RedisCaptureQueue, _ number: Int, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let begun = try await queue.beginRestoration(of: 0, mark: Self.mark(number))
        #expect(begun == .restoring(Self.mark(number)), sourceLocation: sourceLocation)
        let finished = try await queue.finishRestoration(of: 0, mark: Self.mark(number))
        #expect(finished == .restored(Self.mark(number)), sourceLocation: sourceLocation)
    }

    @Test func `a queue after a loss takes nothing from gateways with a ledger before it is restored`() async throws {
        try await withFixture { fixture async throws in
            var maker = SubmissionMaker(seed: 1)
            let upload = maker.submission(of: maker.device())
            await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(upload) }
            #expect(try await fixture.queue().load().captures == 0)
            _ = try await fixture.queue().beginRestoration(of: 0, mark: Self.mark(1))
            await #expect(throws: QueueError(.restoring, "")) { try await fixture.upload(upload) }
            _ = try await fixture.queue().finishRestoration(of: 0, mark: Self.mark(1))
            #expect(try await fixture.upload(upload) == .accepted)
        }
    }

    @Test func `a queue after a loss takes everything from gateways without one`() async throws {
        try await QueueFixture.with { fixture async throws in
            var maker = SubmissionMaker(seed: 1)
            #expect(try await fixture.upload(maker.submission(of: maker.device())) == .accepted)
        }
    }

    @Test func `a queue after a loss still knows a bundle that it has`() async throws {
        try await withFixture { fixture async throws in
            var maker = SubmissionMaker(seed: 1)
            let upload = maker.submission(of: maker.device())
            try await restored(fixture.queue(), 1)
            #expect(try await fixture.upload(upload) == .accepted)
            try await Loss.functionsLoadedAgain.happen(to: fixture)
            #expect(try await fixture.upload(upload) == .accepted, "the same call again")
            let again = maker.submission(of: upload.device, digest: upload.bundleDigest)
            #expect(try await fixture.upload(again) == .duplicate(of: upload.id))
        }
    }

    @Test(arguments: Loss.allCases)
    func `a queue after a loss loses its mark with every way of losing data`(_ loss: Loss) async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            try await restored(queue, 1)
            #expect(try await queue.restorations() == [.restored(Self.mark(1))])
            try await loss.happen(to: fixture)
            #expect(try await queue.restorations() == [.unmarked])
            var maker = SubmissionMaker(seed: 1)
            await #expect(throws: QueueError(.restoring, "")) {
                try await fixture.upload(maker.submission(of: maker.device()))
            }
            try await restored(queue, 2)
            // A key that comes back from an older server is not the mark in force.
            try await fixture.redis(
                "SET", .string("{\(fixture.keyspace.queue):0}:restored"), .string("restored:\(Self.mark(1))"))
            #expect(try await queue.restorations() == [.unmarked])
        }
    }

    @Test(arguments: [Loss.flushed, .restarted, .functionsLoadedAgain])
    func `a queue that loses data while it is restored is not marked as restored`(_ loss: Loss) async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            try await loss.happen(to: fixture)
            var maker = SubmissionMaker(seed: 1)
            let lost = LostCapture(submission: maker.submission(of: maker.device()), isRedriven: false)
            await #expect(throws: QueueError(.restoring, "")) {
                _ = try await queue.restore([lost], in: 0, under: Self.mark(1))
            }
            #expect(try await queue.finishRestoration(of: 0, mark: Self.mark(1)) == .unmarked)
        }
    }

    /// Each partition is begun by itself, and there may be 1,024 of them.
    @Test func `a queue after a loss has its limits again before it takes anything, and only those are written`()
        async throws
    {
        let server = try await PrivateRedis.start()
        var configuration = RedisQueueConfiguration.ofTests
        configuration.hasLedger = true
        try await QueueFixture.with(server, partitions: 4, configuration: configuration) { fixture async throws in
            let queue = fixture.queue()
            try await queue.applyLimits()
            try await fixture.redis("DEL", .string(fixture.keyspace[2].limits))
            try await fixture.redis("HSET", .string(fixture.keyspace[3].limits), "captures_max", 7)
            let begun = try await queue.beginRestoration(of: 2, mark: Self.mark(1))
            #expect(begun == .restoring(Self.mark(1)))
            let most = [configuration.capturesMax / 4, configuration.bytesPerDeviceMax, 4]
            let found = try await fixture.redis(
                "HMGET", .string(fixture.keyspace[2].limits), "captures_max", "device_bytes_max", "partitions")
            #expect(found.array?.map(\.int) == most)
            #expect(try await fixture.redis("HGET", .string(fixture.keyspace[3].limits), "captures_max").int == 7)
        }
        try await server.stop()
    }

    @Test func `a queue after a loss is restored by several at once under one mark`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            #expect(try await queue.beginRestoration(of: 0, mark: Self.mark(2)) == .restoring(Self.mark(1)))
            #expect(try await queue.finishRestoration(of: 0, mark: Self.mark(2)) == .restoring(Self.mark(1)))
            #expect(try await queue.finishRestoration(of: 0, mark: Self.mark(1)) == .restored(Self.mark(1)))
        }
    }

    @Test func `a queue after a loss gets captures back in their order, as they were, beyond all limits`() async throws
    {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 5)
            let device = maker.device()
            let uploads = (0..<150).map { number in
                maker.submission(
                    of: device, receivedAt: Timestamp(millisecondsSince1970: 1_700_000_000_000 - Int64(number)))
            }
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            for upload in uploads { try await fixture.store(upload) }
            try await fixture.redis("HSET", .string("{\(fixture.keyspace.queue):0}:limits"), "captures_max", 1)
            let outcomes = try await queue.restore(
                uploads.map { LostCapture(submission: $0, isRedriven: false) }, in: 0, under: Self.mark(1))
            #expect(outcomes == [RestoreOutcome](repeating: .restored, count: 150))
            let again = try await queue.restore(
                [LostCapture(submission: uploads[3], isRedriven: false)], in: 0, under: Self.mark(1))
            #expect(again == [.known])
            #expect(try await queue.presence(of: [(uploads[3].id, device)]) == [.known])
            let lease = try await queue.claimOne(captures: 64)
            #expect(lease.ids == uploads.prefix(64).map(\.id))
            guard case .valid(let job) = lease.jobs[7] else { throw QueueError(.malformedReply, "") }
            #expect(job.submission == uploads[7])
            #expect(!job.redriven)
            #expect(try await fixture.bundles.fetch([uploads[149]])[0].media != nil)
            let load = try await queue.load()
            #expect(load.captures == 150 && load.bytes == 750 && load.readyLanes == 0 && load.leasedLanes == 1)
        }
    }

    @Test func `a queue after a loss takes a capture once more that came back while its bundle led elsewhere`()
        async throws
    {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            try await restored(queue, 1)
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
            #expect(try await queue.restore([lost], in: 0, under: Self.mark(1)) == [.lost])
            #expect(try await queue.forget(first.bundleDigest, of: first.device, acceptedAs: first.id))
            #expect(try await fixture.upload(again) == .accepted)
            #expect(try await queue.load().captures == 1)
            let photo = fixture.keyspace.partition(of: first.device).photo(again.id)
            #expect(try await fixture.redis("TTL", .string(photo)).int == -1, "its bytes stay")
            let third = maker.submission(of: first.device, digest: first.bundleDigest)
            #expect(try await fixture.upload(third) == .duplicate(of: again.id))
            await #expect(throws: QueueError.self) {
                try await fixture.upload(maker.submission(of: first.device, id: again.id))
            }
        }
    }

    /// As after a restored backup, when what Redis says of settled captures is taken away.
    @Test func `a queue after a loss keeps a bundle known whose capture was settled and comes back`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            try await restored(queue, 1)
            var maker = SubmissionMaker(seed: 8)
            let upload = maker.submission(of: maker.device())
            try await fixture.upload(upload)
            _ = try await queue.settle([try await queue.claimOne().settling()])
            let keys = fixture.keyspace.partition(of: upload.device)
            #expect(try await fixture.redis("PTTL", .string(keys.accepted(upload.bundleDigest))).int != -1)
            try await fixture.redis("DEL", .string(keys.settled(upload.id)))
            try await fixture.store(upload)
            let lost = LostCapture(submission: upload, isRedriven: false)
            #expect(try await queue.restore([lost], in: 0, under: Self.mark(1)) == [.restored])
            #expect(try await fixture.redis("PTTL", .string(keys.accepted(upload.bundleDigest))).int == -1)
            #expect(try await QueueDoctor(queue: queue).examine().findings == [])
        }
    }

    @Test func `a queue after a loss gives nobody a time that is to come`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 7)
            let tomorrow = Timestamp(Date()).advanced(by: .seconds(86_400))
            let upload = maker.submission(of: maker.device(), receivedAt: tomorrow)
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            try await fixture.store(upload)
            let outcomes = try await queue.restore(
                [LostCapture(submission: upload, isRedriven: false)], in: 0, under: Self.mark(1))
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
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 6)
            let uploads = (0..<3).map { _ in maker.submission(of: maker.device(), receivedAt: moment(1)) }
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            try await fixture.store(uploads[1])
            let outcomes = try await queue.restore(
                uploads.enumerated().map { LostCapture(submission: $1, isRedriven: $0 == 2) }, in: 0,
                under: Self.mark(1))
            #expect(outcomes == [.lost, .restored, .lost])
            let leases = try await queue.claimNow()
            let jobs = leases.flatMap(\.jobs).compactMap { if case .valid(let job) = $0 { job } else { nil } }
            #expect(Set(jobs.filter(\.redriven).map(\.id)) == [uploads[2].id])
            #expect(try await fixture.bundles.fetch(uploads).map { $0.media != nil } == [false, true, false])
        }
    }

    @Test func `a queue after a loss takes bytes that are stored again for a capture that it has`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 6)
            let upload = maker.submission(of: maker.device())
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            let lost = LostCapture(submission: upload, isRedriven: false)
            #expect(try await queue.restore([lost], in: 0, under: Self.mark(1)) == [.lost])
            #expect(try await fixture.upload(upload) == .accepted)
            let key = fixture.keyspace.partition(of: upload.device).photo(upload.id)
            #expect(try await fixture.redis("PTTL", .string(key)).int == -1, "they belong to the capture")
        }
    }

    @Test func `a queue after a loss does not let one malformed capture keep the others out`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 6)
            let device = maker.device()
            let good = (0..<2).map { _ in maker.submission(of: device) }
            let bad = CaptureSubmission(
                id: maker.submission(of: device).id, device: device, bundleDigest: .hash([7]), binding: .concatV1,
                assertion: [UInt8](repeating: 0, count: 20_000), metadata: [1], photoDigest: .hash([1]),
                depthDigest: .hash([2]), photoBytes: 1, depthBytes: 1, receivedAt: nil, traceParent: nil)
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            let outcomes = try await queue.restore(
                [good[0], bad, good[1]].map { LostCapture(submission: $0, isRedriven: false) }, in: 0,
                under: Self.mark(1))
            #expect(outcomes == [.lost, .invalid("INVALID assertion: not 1 to 16384 bytes"), .lost])
            #expect(try await queue.claimOne().ids == good.map(\.id))
        }
    }

    @Test func `a queue after a loss keeps nothing of a capture whose lane's key is damaged, and takes it afterwards`()
        async throws
    {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 8)
            let devices = [maker.device(), maker.device()]
            let captures = [devices[0], devices[1], devices[0]].map {
                LostCapture(submission: maker.submission(of: $0), isRedriven: false)
            }
            let key = fixture.keyspace[0].lane(devices[1])
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            try await fixture.redis("SET", .string(key), "x")
            let outcomes = try await queue.restore(captures, in: 0, under: Self.mark(1))
            #expect(outcomes == [.lost, .invalid("INVALID lane: \(key) is no list"), .lost])
            try await fixture.redis("DEL", .string(key))
            #expect(try await queue.restore(captures, in: 0, under: Self.mark(1)) == [.known, .lost, .known])
        }
    }

    @Test func `a queue after a loss keeps nothing at all while a key that every lane needs is damaged`() async throws {
        try await withFixture { fixture async throws in
            let queue = fixture.queue()
            var maker = SubmissionMaker(seed: 9)
            let captures = (0..<2).map { _ in
                LostCapture(submission: maker.submission(of: maker.device()), isRedriven: false)
            }
            _ = try await queue.beginRestoration(of: 0, mark: Self.mark(1))
            let key = RedisArgument.string(fixture.keyspace[0].heads)
            try await fixture.redis("SET", key, "x")
            let before = try await fixture.keys()
            await #expect(throws: QueueError(.refused, "")) {
                _ = try await queue.restore(captures, in: 0, under: Self.mark(1))
            }
            #expect(try await fixture.keys() == before)
            try await fixture.redis("DEL", key)
            #expect(try await queue.restore(captures, in: 0, under: Self.mark(1)) == [.lost, .lost])
        }
    }
}

extension QueueFixture {
    /// Stores a submission's bytes only.
    func store(_ submission: CaptureSubmission) async throws {
        let media = CaptureMedia(
            photo: ByteBuffer(repeating: 1, count: submission.photoBytes),
            depth: ByteBuffer(repeating: 2, count: submission.depthBytes)
        )
        try await bundles.put(media, of: submission)
    }
}
