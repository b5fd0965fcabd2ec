import CaptureModel
import CaptureOperations
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import HTML
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The page of one capture` {
    /// Somebody may read no more than its timeline.
    @Test func `the page of a rejected capture says nowhere that it was verified or signed, or is kept by a pause`()
        async throws
    {
        let time = ManualTime()
        let store = MemoryCaptureStore(time: time.source)
        var maker = SubmissionMaker(seed: 1)
        let submission = maker.submission(of: maker.device())
        _ = try await store.settle([.ofNobody(submission, at: time.now)], policy: .strict)
        let result = try #require(try await store.results(of: [submission.id])[submission.id])
        let page = CapturePage(
            status: StatusDocument(result), letter: nil, result: result, assertion: nil,
            algorithm: nil, remains: .nothing,
            audit: try await AuditTrail(of: submission.id.description, in: store))
        let user = DashboardUser(name: "alice", isOperator: false, token: .hash([]), formToken: "")
        // A pause of the queue does not concern what has its result.
        let text = page.markup(Shell(user: user, now: time.now, isPaused: true)).text
        #expect(text.contains("<div id=\"paused-live\" class=\"live-part\"></div>"))
        #expect(text.contains(">rejected<") && text.contains("<strong>Checked</strong>"))
        #expect(text.contains("What had to be signed"))
        #expect(text.contains("\"/dashboard/captures?device=\(submission.device)\""))
        #expect(!text.contains("Verified") && !text.contains(">verified<") && !text.contains("What is signed"))
    }

    /// A device that nobody has registered has no page.
    @Test func `the page of one capture, and each list, lead from a device that is unknown to its captures`() throws {
        let (id, device) = (CaptureID(UUID()), DeviceID(UUID()))
        func links(_ reason: Reason) -> [String] {
            let capture = ListedCapture(
                id: id, device: device, receivedAt: ManualTime().now, state: .rejected, reason: reason, fault: nil,
                attempts: 1, isRedriven: false, result: nil)
            return CaptureTable(captures: [capture], now: ManualTime().now).markup.text
                .matches(of: /href="([^"]*)"/).map { String($0.1) }
        }
        #expect(links(.deviceUnknown).last == "/dashboard/captures?device=\(device)")
        #expect(links(.counterReplay).last == "/dashboard/devices/\(device)")
    }

    /// Both kinds of keys sign in the same envelope.
    @Test(
        arguments: [
            (.p256, "Signature (ECDSA, DER)"), (.ed25519, "Signature (Ed25519)"), (nil, "Signature"),
        ] as [(Device.KeyAlgorithm?, String)])
    func `the page of one capture calls the signature what the device's key makes`(
        algorithm: Device.KeyAlgorithm?, name: String
    ) throws {
        let phone = SimulatedDevice(appID: GatewayFixture.appID)
        let capture = try SyntheticCapture(seed: 1, photoBytes: 60_000, capturedAt: ManualTime().now, binding: nil)
        let signed = try CaptureSigner(device: phone, binding: .concatV1).sign(capture, counter: .next, flaw: nil)
        let text = AssertionFacts(bytes: signed.assertion, algorithm: algorithm).markup.text
        #expect(text.contains("<dt>\(name)</dt>"))
        #expect(text.contains("ECDSA") == (algorithm == .p256))
    }
}
