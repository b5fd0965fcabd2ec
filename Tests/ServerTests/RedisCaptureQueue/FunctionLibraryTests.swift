import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// The function library gets into Redis, stays there, and comes back.
@Suite(.timeLimit(.minutes(2)))
struct FunctionLibraryTests {
    @Test func `the library is loaded once and found afterwards`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            #expect(try await FunctionLibrary.current.install(on: fixture.client) == .present)
            try await fixture.redis("FUNCTION", "FLUSH")
            #expect(try await FunctionLibrary.current.install(on: fixture.client) == .loaded(replacing: nil))
        }
    }

    @Test(arguments: [
        ("999", FunctionLibrary.Installation.newer(version: 999)), ("0", .loaded(replacing: 0)),
    ])
    func `a newer library stays and an older one is replaced`(
        version: String, expected: FunctionLibrary.Installation
    ) async throws {
        try await QueueFixture.withOwnServer { fixture in
            let other = FunctionLibrary.current.source.replacing(
                "local LIBRARY_VERSION = \(FunctionLibrary.current.version)", with: "local LIBRARY_VERSION = \(version)"
            )
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(other))
            #expect(try await FunctionLibrary.current.install(on: fixture.client) == expected)
        }
    }

    /// The programs that empty it have to start first.
    @Test func `an older library stays in a Redis that is full, until there is room`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let own = FunctionLibrary.current
            let older = own.source.replacing(
                "local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = \(own.version - 1)")
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(older))
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "1")
            #expect(try await own.install(on: fixture.client) == .kept(version: own.version - 1))
            try await fixture.server.cli("CONFIG", "SET", "maxmemory", "0")
            #expect(try await own.install(on: fixture.client) == .loaded(replacing: own.version - 1))
        }
    }

    /// What programs of 0.1.0, the first release, call: a newer library brings these too, whatever it brings besides.
    private static let released: Set = [
        "capture_enqueue_v1", "capture_claim_v1", "capture_takeover_v1", "capture_settle_v1", "capture_promote_v1",
        "capture_renew_v1", "capture_join_v1", "capture_leave_v1", "capture_surrender_v1", "capture_redrive_v1",
        "capture_redrive_as_accepted_v1", "capture_discard_v1", "capture_forget_v1", "capture_dead_v1",
        "capture_dead_letter_v1", "capture_load_v1", "capture_admit_v1", "capture_admit_login_v1",
        "capture_restoration_v1", "capture_restore_v1", "capture_present_v1", "capture_workers_v1", "capture_pause_v1",
        "capture_session_v1", "capture_version_v1", "capture_examine_lane_v1", "capture_mend_lane_v1",
        "capture_examine_tokens_v1", "capture_mend_tokens_v1", "capture_examine_heads_v1", "capture_mend_heads_v1",
        "capture_examine_lane_bytes_v1", "capture_mend_lane_bytes_v1", "capture_examine_capture_v1",
        "capture_examine_lane_captures_v1", "capture_mend_capture_v1", "capture_examine_bundle_v1",
        "capture_mend_stray_entry_v1", "capture_mend_bundle_v1", "capture_recount_v1",
    ]

    @Test func `a function that was released stays in the library`() async throws {
        try await QueueFixture.with { fixture in
            let library = try await fixture.redis("FUNCTION", "LIST", "LIBRARYNAME", .string(FunctionLibrary.name))
            let names = (library.array?.first?.array ?? []).compactMap(\.array).flatMap { $0 }.compactMap(\.array)
                .compactMap { row in row.first { $0.string?.hasPrefix("capture_") == true }?.string }
            #expect(Self.released.subtracting(names) == [])
        }
    }

    @Test func `an older program that loads its library again gives way to the newer one`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            // The next release calls a function that this one does not have.
            let own = FunctionLibrary.current
            let newer =
                own.source.replacing(
                    "local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = \(own.version + 1)")
                + "\nredis.register_function('capture_load_v2', function() return 2 end)\n"
            try await fixture.redis("FUNCTION", "FLUSH")
            #expect(try await fixture.queue().load().captures == 0, "the older one has loaded its own")
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(newer))
            #expect(try await own.install(on: fixture.client) == .newer(version: own.version + 1))
            #expect(try await own.presence(on: fixture.client) == .newer(version: own.version + 1))
            #expect(try await fixture.redis("FCALL", "capture_load_v2", 0).int == 2)
            #expect(try await fixture.queue().load().captures == 0, "and goes on with the newer")
        }
    }

    @Test func `a release whose functions a newer library has no more waits to be replaced`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            let own = FunctionLibrary.current
            let newer = own.source
                .replacing("local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = \(own.version + 1)")
                .replacing("capture_claim_v1", with: "capture_claim_v2")
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(newer))
            let capture = SubmissionMaker.submission(seed: 3)
            #expect(try await fixture.upload(capture) == .accepted, "what is there still goes on")
            let error = await #expect(throws: QueueError.self) { try await fixture.queue().claimOne() }
            #expect(error?.code == .unavailable && error?.message.contains("has to be replaced") == true)
            #expect(try await fixture.queue().state(of: capture) == .queued, "and nothing was done to the capture")
        }
    }

    /// An older program has looked before the newer one loaded its own, and loads behind it.
    @Test(
        arguments: [
            (nil, .loaded(replacing: nil)), (-1, .loaded(replacing: FunctionLibrary.current.version - 1)), (0, nil),
            (1, nil),
        ] as [(Int?, FunctionLibrary.Installation?)])
    func `a program that has loaded its library keeps it there against an older one`(
        step: Int?, expected: FunctionLibrary.Installation?
    ) async throws {
        try await QueueFixture.withOwnServer { fixture in
            let own = FunctionLibrary.current
            if let step {
                let other = own.source.replacing(
                    "local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = \(own.version + step)")
                try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(other))
            } else {
                try await fixture.redis("FUNCTION", "FLUSH")
            }
            #expect(try await own.keep(on: fixture.client) == expected)
            let presence = try await own.presence(on: fixture.client)
            #expect(presence == (step == 1 ? .newer(version: own.version + 1) : .current))
        }
    }

    @Test func `programs that start at once load it once, and nobody replaces what is there`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            try await fixture.redis("FUNCTION", "FLUSH")
            let client = fixture.client
            let found = try await withThrowingTaskGroup(of: FunctionLibrary.Installation.self) { group in
                for _ in 0..<16 { group.addTask { try await FunctionLibrary.current.install(on: client) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.count { $0 == .loaded(replacing: nil) } == 1 && found.count { $0 == .present } == 15)
        }
    }

    @Test func `a queue whose functions are gone loads them and goes on`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 1)
            try await fixture.redis("FUNCTION", "FLUSH")
            #expect(try await fixture.upload(maker.submission(of: maker.device())) == .accepted)
            try await fixture.redis("FUNCTION", "FLUSH")
            let lease = try await fixture.queue().claimOne()
            try await fixture.redis("FUNCTION", "FLUSH")
            #expect(try await fixture.queue().settle([lease.settling()]) == [.settled])
        }
    }

    @Test func `a flushed server is a queue without captures`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 2)
            let queue = fixture.queue()
            try await fixture.upload(maker.submission(of: maker.device()))
            let lease = try await queue.claimOne()
            try await fixture.redis("FLUSHALL")
            #expect(try await queue.settle([lease.settling()]) == [.fenced])
            #expect(try await queue.takeOver() == nil)
            #expect(try await queue.load().captures == 0)
            let later = maker.submission(of: maker.device())
            async let leases = queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(30))
            #expect(try await fixture.upload(later) == .accepted)
            #expect(try await leases.map(\.ids) == [[later.id]])
        }
    }

    @Test func `a worker that waits while the stream is deleted claims what is added to the next one`() async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 3)
            let queue = fixture.queue()
            async let claimed = queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(30))
            try await fixture.untilClaimWaits()
            try await fixture.redis("DEL", .string(fixture.keyspace[0].ready))
            let capture = maker.submission(of: maker.device())
            try await fixture.upload(capture)
            #expect(try await claimed.map(\.ids) == [[capture.id]])
        }
    }

    @Test func `a server that was killed and started again has all that it accepted`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 6)
            let device = maker.device()
            let captures = (0..<3).map { _ in maker.submission(of: device) }
            for capture in captures { try await fixture.upload(capture) }
            let queue = fixture.queue()
            let lease = try await queue.claimOne(captures: 2)
            try await fixture.server.kill()
            try await fixture.server.restart()
            try await eventually { fixture.client.isConnected }
            // The client comes back by itself; until then the settlement is not done.
            let outcome = try await untilDone { () async throws(QueueError) in
                try await queue.settle([lease.settling()])
            }
            #expect(outcome == [.settled])
            #expect(try await queue.claimOne().ids == [captures[2].id])
            let bytes = try await fixture.bundles.fetch(captures)
            #expect(bytes.map { $0 == .missing } == [true, true, false])
        }
    }

    @Test func `a full memory refuses captures and still settles`() async throws {
        try await QueueFixture.withOwnServer { fixture in
            var maker = SubmissionMaker(seed: 4)
            let queue = fixture.queue()
            try await fixture.upload(maker.submission(of: maker.device()))
            try await fixture.redis("CONFIG", "SET", "maxmemory", "1")
            let refused = maker.submission(of: maker.device())
            await #expect(throws: QueueError(.unavailable, "")) { try await fixture.upload(refused) }
            await #expect(throws: QueueError(.unavailable, "")) { try await queue.enqueue(refused) }
            #expect(try await queue.settle([try await queue.claimOne().settling()]) == [.settled])
            #expect(try await queue.load().captures == 0)
            try await fixture.redis("CONFIG", "SET", "maxmemory", "0")
            #expect(try await fixture.upload(refused) == .accepted)
        }
    }
}
