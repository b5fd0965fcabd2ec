import CaptureModel
import CaptureQueue
import CaptureStore
import HTML
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Evidence at the dashboard` {
    @Test func `evidence of a settled capture is a file for operators, whose page has the line that verifies it`()
        async throws
    {
        let log = LogRecorder()
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.logger = log.logger
        var maker = SubmissionMaker(seed: 1)
        let settled = maker.submission(of: maker.device())
        let waiting = maker.submission(of: maker.device())
        _ = try await fixture.store.settle([.ofNobody(settled, at: fixture.time.now)], policy: .strict)
        _ = try await fixture.queue.enqueue(waiting)
        let (page, file) = ("/dashboard/captures/\(settled.id)", "evidence-\(settled.id).json")
        try await fixture.run { gateway in
            let login = try await DashboardLogin(gateway)
            let shown = try await login.get(page).text
            #expect(shown.contains("href=\"\(page)/evidence\""))
            #expect(shown.contains("capturectl evidence verify --app-id TEAMID.bundle.id --evidence \(file)"))
            let answer = try await login.get("\(page)/evidence")
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Content-Disposition") == "attachment; filename=\"\(file)\"")
            #expect(answer.headers.first(name: "Cache-Control") == "no-store")
            let document = try JSONValue(json: Array(answer.text.utf8))
            #expect(document["data"]["result"]["capture_id"] == .string("\(settled.id)"))

            let reader = try await DashboardLogin(gateway, token: GatewayFixture.readToken)
            #expect(try await reader.get("\(page)/evidence").status == 403)
            #expect(try await !reader.get(page).text.contains("\(page)/evidence"))
            let early = "/dashboard/captures/\(waiting.id)"
            #expect(try await !login.get(early).text.contains("\(early)/evidence"))
            #expect(try await login.get("\(early)/evidence").status == 409)
        }
        // The metadata in it may tell a place: one was read, and two were refused.
        #expect(log.lines.count { $0 == "info evidence was read" } == 1)
        #expect(log.values(of: "capture_id") == ["\(settled.id)"])
        let actors = log.values(of: "actor")
        #expect(actors.count == 1 && actors.first?.hasPrefix("alice (dashboard, token ") == true, "\(actors)")
    }

    @Test func `evidence of a device without attestation is not said to be enough, and its line is to be filled in`()
        async throws
    {
        let store = MemoryCaptureStore(time: ManualTime().source)
        let submission = SubmissionMaker.submission(seed: 2)
        _ = try await store.settle([.ofNobody(submission, at: ManualTime().now)], policy: .strict)
        let result = try #require(try await store.results(of: [submission.id])[submission.id])
        #expect(result.attestationLevel == .unverified && result.appID == nil)
        let unverified = CapturePage.evidence(of: result).text
        #expect(unverified.contains("a verification ends as incomplete at best, with <code>NOT_ATTESTED</code>."))
        #expect(unverified.contains("TEAMID.bundle.id stands for the id of your app."))
        #expect(!unverified.contains("--root") && !unverified.contains("--environment"))
        let attested = CapturePage.evidence(of: ExampleRecord.verified).text
        #expect(!attested.contains("NOT_ATTESTED") && !attested.contains("TEAMID"))
        #expect(attested.contains("--app-id TEAM123456.com.example.capture --evidence"))
    }

    /// Without them it would reject what the page says is verified.
    @Test func `the line that verifies evidence names a root that is not Apple's, and keys of development`() throws {
        let apples = try #require(ExampleRecord.verified.trustRoot)
        func shown(_ environment: KeyEnvironment, _ trustRoot: String) -> String {
            CapturePage.evidence(of: Self.verified(environment, trustRoot)).text
        }
        // A root may call itself as Apple's does: only its digest tells.
        let others = ["Test root sha256:", String(apples.dropLast(64))].map { $0 + String(repeating: "a", count: 64) }
        let app = "--app-id TEAM123456.com.example.capture"
        for other in others {
            let text = shown(.production, other)
            #expect(text.contains("\(app) --root root.pem --evidence"), "\(text)")
            #expect(text.contains("root.pem stands for the file of the trust root that Signer names"), "\(text)")
            #expect(shown(.development, other).contains("\(app) --root root.pem --environment development --evidence"))
        }
        #expect(shown(.development, apples).contains("\(app) --environment development --evidence"))
        let usual = shown(.production, apples)
        #expect(usual.contains("\(app) --evidence") && !usual.contains("root.pem"), "\(usual)")
    }

    /// A verified capture of a key of an environment, certified under a root.
    private static func verified(_ environment: KeyEnvironment, _ trustRoot: String) -> ProvenanceResult {
        let example = ExampleRecord.verified
        return ProvenanceResult(
            id: example.id, device: example.device, keyID: example.keyID, attestationLevel: example.attestationLevel,
            environment: environment, appID: example.appID, trustRoot: trustRoot, counter: example.counter,
            counterPolicy: example.counterPolicy, binding: example.binding, photoDigest: example.photoDigest,
            depthDigest: example.depthDigest, metadataDigest: example.metadataDigest,
            clientDataHash: example.clientDataHash, checks: example.checks, verdict: example.verdict,
            reason: example.reason, confidence: example.confidence, attempts: example.attempts,
            isRedriven: example.isRedriven, capturedAt: example.capturedAt, receivedAt: example.receivedAt,
            claimedAt: example.claimedAt, verifiedAt: example.verifiedAt, settledAt: example.settledAt,
            processorVersion: example.processorVersion)
    }
}
