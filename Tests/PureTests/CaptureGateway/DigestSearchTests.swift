import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Searching for a digest` {
    private static let digest = SHA256Digest.hash([7])
    private static let path = "/dashboard/captures?q=\(digest)"

    /// Searches at a gateway whose archive names these captures by the digest.
    private static func run(
        _ captures: [CaptureID], on fixture: GatewayFixture,
        _ body: @Sendable @escaping (DashboardLogin.Answer) async throws -> Void
    ) async throws {
        var archive = ListedArchive()
        archive.digests[digest] = captures
        try await fixture.withOperators(archive: archive).run { gateway in
            try await body(try await DashboardLogin(gateway).get(path))
        }
    }

    /// A capture of another device, with its result.
    private static func settled(
        _ decision: Decision, minutesAgo: Int64, in fixture: GatewayFixture, _ maker: inout SubmissionMaker
    ) async throws -> CaptureID {
        let (store, now) = (fixture.store, fixture.time.now)
        let submission = maker.submission(of: maker.device())
        let device = submission.device
        try await store.register(SimulatedDevice(appID: GatewayFixture.appID), as: device, at: now)
        let job = CaptureJob(
            submission: submission, receivedAt: now.advanced(by: .seconds(-60 * minutesAgo)), claimedAt: now,
            attempts: 1, isRedriven: false)
        let examined = ExaminedCapture(
            job: job, clientDataHash: .hash([1]), checks: [],
            outcome: .of(try await store.devices([device])[device], counter: 1, rejection: decision.reason),
            capturedAt: nil, verifiedAt: now)
        #expect(try await store.settle([examined], policy: .strict).map(\.decision) == [decision])
        return submission.id
    }

    @Test func `the only capture of a digest is shown`() async throws {
        let fixture = try GatewayFixture()
        var maker = SubmissionMaker(seed: 1)
        let capture = try await Self.settled(.verified, minutesAgo: 1, in: fixture, &maker)
        try await Self.run([capture], on: fixture) { answer in
            #expect(answer.status == 303 && answer.location == "/dashboard/captures/\(capture)")
        }
    }

    @Test func `of several captures none stands for the others, and the first verified one comes first`() async throws {
        let fixture = try GatewayFixture()
        var maker = SubmissionMaker(seed: 1)
        let rejected = try await Self.settled(.rejected(.signatureInvalid), minutesAgo: 9, in: fixture, &maker)
        let genuine = try await Self.settled(.verified, minutesAgo: 5, in: fixture, &maker)
        let copy = try await Self.settled(.verified, minutesAgo: 1, in: fixture, &maker)
        try await Self.run([copy, genuine, rejected], on: fixture) { answer in
            #expect(answer.status == 200 && answer.text.contains("\(Self.digest)"))
            let places = try [genuine, copy, rejected].map { capture in
                try #require(answer.text.firstRange(of: "/dashboard/captures/\(capture)")).lowerBound
            }
            #expect(places == places.sorted())
            #expect(!answer.text.contains("there may be more"))
        }
    }

    @Test func `a list of a digest's captures says that it was cut`() async throws {
        let fixture = try GatewayFixture()
        var maker = SubmissionMaker(seed: 1)
        var captures: [CaptureID] = []
        for minute in 1...DigestPage.capturesMax {
            captures.append(try await Self.settled(.verified, minutesAgo: Int64(minute), in: fixture, &maker))
        }
        try await Self.run(captures, on: fixture) { answer in
            #expect(answer.status == 200 && answer.text.contains("there may be more"))
            // A hundred that were rejected may stand before the one that is genuine.
            #expect(answer.text.contains("received first") && answer.text.contains("verified ones among them"))
        }
    }

    @Test func `a digest that nobody knows is told so`() async throws {
        try await Self.run([], on: GatewayFixture()) { answer in
            #expect(answer.status == 200 && answer.text.contains("Nothing is known by"))
        }
    }
}
