import CaptureInspection
import CaptureModel
import CaptureQueue
import CaptureStore
import Hummingbird
import NIOCore
import NIOHTTP1
import Observability
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Pictures at the dashboard` {
    /// Bytes in memory whose store counts who fetches them at once, and holds them all until it is told.
    private final class HeldBundles: ForwardingBundles {
        private struct Counts {
            var open = 0
            var most = 0
        }

        let memory = MemoryBundleStore()
        let isReleased = Latch()
        private let counts = Mutex(Counts())

        /// How many fetch now.
        var open: Int { counts.withLock { $0.open } }
        /// How many did at once at the most.
        var most: Int { counts.withLock { $0.most } }

        func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
            counts.withLock { counts in
                counts.open += 1
                counts.most = max(counts.most, counts.open)
            }
            await isReleased.wait(for: .seconds(50))
            counts.withLock { $0.open -= 1 }
            return try await memory.fetch(submissions)
        }
    }

    private static let photo = "the photo"

    /// An open capture of a ledger, whose bytes are held.
    private static func capture(
        _ fixture: GatewayFixture, in bundles: HeldBundles
    ) async throws -> (submission: CaptureSubmission, ledger: MemoryIntakeLedger) {
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        var maker = SubmissionMaker(seed: 1)
        let media = CaptureMedia(photo: ByteBuffer(string: photo), depth: ByteBuffer(bytes: [0, 0]))
        let submission = maker.submission(of: maker.device(), receivedAt: fixture.time.now, media: media)
        _ = try await ledger.record([submission])
        try await bundles.put(media, of: submission)
        return (submission, ledger)
    }

    @Test func `pictures are made a few at once, however many are asked for`() async throws {
        let (bundles, gate) = (HeldBundles(), PictureGate(placesMax: 4, waitersMax: 16, waitMax: .seconds(50)))
        let (submission, ledger) = try await Self.capture(GatewayFixture(), in: bundles)
        let pictures = Pictures(
            ledger: ledger, bundles: bundles, limits: MetadataLimits(), gate: gate,
            outages: Outages(logger: .quiet))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    String(buffer: try await pictures.photo(of: submission.id, from: submission.device).bytes)
                }
            }
            try await eventually { gate.waiters == 16 && bundles.open == 4 }
            bundles.isReleased.open()
            for try await photo in group { #expect(photo == Self.photo) }
        }
        #expect(bundles.most == 4 && gate.waiters == 0)
        // A picture that cannot be made gives its place back as well.
        for _ in 0..<5 {
            let error = await #expect(throws: APIError.self) {
                _ = try await pictures.depth(of: submission.id, from: submission.device)
            }
            #expect(error?.code == .notFound)
        }
    }

    /// A gateway that only shows pictures asks nobody else for bytes.
    @Test func `pictures that are shown end the outage of where their bytes are`() async throws {
        let (bundles, time, recorder) = (HeldBundles(), ManualTime(), LogRecorder())
        bundles.isReleased.open()
        let (submission, ledger) = try await Self.capture(GatewayFixture(), in: bundles)
        let outages = Outages(logger: recorder.logger, now: { time.monotonic })
        let pictures = Pictures(
            ledger: ledger, bundles: bundles, limits: MetadataLimits(), gate: PictureGate(placesMax: 1),
            outages: outages)
        outages.note(submission.bundleServer, "it does not answer")
        time.advance(by: .seconds(2))
        _ = try await pictures.photo(of: submission.id, from: submission.device)
        #expect(recorder.lines.map { $0.prefix { $0 != " " } } == ["error", "notice"], "\(recorder.lines)")
    }

    @Test func `pictures are not made of other bytes than were accepted`() async throws {
        let fixture = try GatewayFixture()
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        var maker = SubmissionMaker(seed: 2)
        let media = CaptureMedia(photo: ByteBuffer(string: Self.photo), depth: ByteBuffer(bytes: [0, 0]))
        let submission = maker.submission(of: maker.device(), receivedAt: fixture.time.now, media: media)
        _ = try await ledger.record([submission])
        var (otherPhoto, otherDepth) = (media, media)
        otherPhoto.photo.setInteger(UInt8(0), at: 0)
        otherDepth.depth.setInteger(UInt8(1), at: 0)
        try await fixture.bundles.put(media, of: submission)
        let pictures = Pictures(
            ledger: ledger, bundles: fixture.bundles, limits: MetadataLimits(), gate: PictureGate(placesMax: 1),
            outages: Outages(logger: .quiet))
        for damaged in [otherPhoto, otherDepth] {
            try await fixture.bundles.replace(damaged, of: submission)
            let error = await #expect(throws: APIError.self) {
                _ = try await pictures.photo(of: submission.id, from: submission.device)
            }
            #expect(error?.message == "the bytes that are kept are not those that were accepted")
        }
    }

    @Test func `pictures whose bytes cannot be read now are not told to be gone`() async throws {
        let (submission, ledger) = try await Self.capture(GatewayFixture(), in: HeldBundles())
        // The bytes are in a store that is not among these.
        let bundles = BundleStores(primary: MemoryBundleStore())
        let gate = PictureGate(placesMax: 1, waitersMax: 1, waitMax: .seconds(50))
        let pictures = Pictures(
            ledger: ledger, bundles: bundles, limits: MetadataLimits(), gate: gate,
            outages: Outages(logger: .quiet))
        let error = await #expect(throws: APIError.self) {
            _ = try await pictures.photo(of: submission.id, from: submission.device)
        }
        #expect(error?.code == .unavailable && error?.retryAfter == .seconds(5))
    }

    @Test func `pictures have the same few places for all requests, and who finds none is told when to come back`()
        async throws
    {
        let (bundles, plain) = (HeldBundles(), try GatewayFixture().withOperators())
        let (submission, ledger) = try await Self.capture(plain, in: bundles)
        var changed = plain
        changed.dependencies.intake = ledger
        changed.dependencies.bundles = bundles
        changed.configuration.reading.picturesMax = 3
        let fixture = changed
        #expect(try await fixture.queue.enqueue(submission) == .accepted)
        let path = "/dashboard/captures/\(submission.id)/photo"
        try await fixture.runLoggedIn { login in
            try await withThrowingTaskGroup(of: DashboardLogin.Answer.self) { group in
                for _ in 0..<7 { group.addTask { try await login.get(path) } }
                for _ in 0..<4 {
                    let late = try #require(try await group.next())
                    #expect(late.status == 503 && late.headers.first(name: "Retry-After") == "2")
                }
                try await eventually { bundles.open == 3 }
                bundles.isReleased.open()
                for try await answer in group { #expect(answer.status == 200 && answer.text == Self.photo) }
            }
            #expect(bundles.most == 3)
        }
    }

    @Test func `pictures keep their places until they are written`() async throws {
        let gate = PictureGate(placesMax: 1, waitersMax: 1, waitMax: .milliseconds(1))
        var held: Response? = PageAnswer.picture(
            Picture(bytes: ByteBuffer(repeating: 1, count: 200_000), place: try await PicturePlace(at: gate)),
            type: "image/jpeg")
        #expect(held?.body.contentLength == 200_000)
        let refused = await #expect(throws: APIError.self) { try await PicturePlace(at: gate) }
        #expect(refused?.code == .unavailable)
        // Nobody has asked for its bytes.
        held = nil
        _ = try await PicturePlace(at: gate)
    }

    @Test func `pictures keep nobody waiting without an end, and no more than a few`() async throws {
        let impatient = PictureGate(placesMax: 1, waitersMax: 1, waitMax: .milliseconds(1))
        var held: PicturePlace? = try await PicturePlace(at: impatient)
        let late = await #expect(throws: APIError.self) { try await PicturePlace(at: impatient) }
        #expect(late?.code == .unavailable && late?.retryAfter != nil && impatient.waiters == 0)
        withExtendedLifetime(held) {}
        held = nil
        _ = try await PicturePlace(at: impatient)

        let patient = PictureGate(placesMax: 1, waitersMax: 1, waitMax: .seconds(50))
        held = try await PicturePlace(at: patient)
        let waiter = Task { try await PicturePlace(at: patient) }
        try await eventually { patient.waiters == 1 }
        let refused = await #expect(throws: APIError.self) { try await PicturePlace(at: patient) }
        #expect(refused?.code == .unavailable && patient.waiters == 1)
        waiter.cancel()
        let cancelled = await waiter.result
        #expect(throws: APIError.self) { try cancelled.get() }
        #expect(patient.waiters == 0)

        let next = Task { try await PicturePlace(at: patient) }
        try await eventually { patient.waiters == 1 }
        withExtendedLifetime(held) {}
        held = nil
        _ = try await next.value
    }

    @Test func `pictures are told to be gone by whoever can tell`() async throws {
        let bundles = HeldBundles()
        let fixture = try GatewayFixture()
        let (submission, ledger) = try await Self.capture(fixture, in: bundles)
        try await fixture.queue.bury(submission, fault: "refused")
        var letter = try #require(try await fixture.queue.deadLetter(submission.id))
        let pictures = Pictures(
            ledger: ledger, bundles: bundles, limits: MetadataLimits(), gate: PictureGate(placesMax: 1),
            outages: Outages(logger: .quiet))
        let cases: [(bytes: DeadLetter.Bytes, reason: Reason, remains: Pictures.Remains)] = [
            (.kept, .attemptsExhausted, .kept), (.gone, .attemptsExhausted, .gone),
            // Somebody has put them back.
            (.kept, .bundleMissing, .kept),
            (.unseen, .attemptsExhausted, .kept), (.notFound, .bundleMissing, .notFound),
            (.kept, .bundleCorrupt, .changed), (.unseen, .bundleCorrupt, .changed), (.gone, .bundleCorrupt, .gone),
        ]
        for (bytes, reason, expected) in cases {
            letter.bytes = bytes
            letter.status.reason = reason
            let remains = try await pictures.remains(
                of: submission.id, from: submission.device, letter: letter, reason: reason)
            #expect(remains == expected)
        }
    }
}
