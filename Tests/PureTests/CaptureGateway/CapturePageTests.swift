import CaptureModel
import CaptureOperations
import CaptureQueue
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
        let result = try await Self.result(in: store, at: time.now)
        let page = CapturePage(
            status: StatusDocument(result), letter: nil, result: result, assertion: nil,
            algorithm: nil, remains: .nothing,
            audit: try await AuditTrail(of: result.id.description, in: store))
        let user = DashboardUser(name: "alice", isOperator: false, token: .hash([]), formToken: "")
        // A pause of the queue does not concern what has its result.
        var shell = Shell(user: user, now: time.now)
        shell.load = QueueLoad(
            captures: 0, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: 0, leasedLanes: 0, capturesMax: 1,
            bytesMax: 1, isPaused: true)
        #expect(shell.isPaused)
        let text = page.markup(shell).text
        #expect(text.contains("<div id=\"paused-live\" class=\"live-part\"></div>"))
        #expect(text.contains(">rejected<") && text.contains("<strong>Checked</strong>"))
        #expect(text.contains("What had to be signed"))
        #expect(text.contains("\"/dashboard/captures?device=\(result.device)\""))
        #expect(!text.contains("Verified") && !text.contains(">verified<") && !text.contains("What is signed"))
    }

    /// A check that rejects nothing must not look like a rejection.
    @Test func `checks of a verified capture tell a warning from a failure, and why its confidence is low`()
        async throws
    {
        let time = ManualTime()
        var result = try await Self.result(in: MemoryCaptureStore(time: time.source), at: time.now)
        result.checks = [
            Check(.assertion, .pass), Check(.metadata, .fail, .metadataInconsistent),
            Check(.rollout, .fail, .rolloutWouldReject),
        ]
        (result.verdict, result.reason, result.confidence) = (.verified, nil, .low)
        let text = CheckTable(result: result).markup.text
        #expect(text.contains(">warning<") && text.contains(">mark<") && !text.contains("fail"))
        #expect(text.contains("an unverified device begins at medium"))

        (result.checks, result.confidence) = ([Check(.assertion, .pass)], .high)
        #expect(!CheckTable(result: result).markup.text.contains("begins at"))
        (result.checks, result.verdict) = ([Check(.assertion, .fail, .signatureInvalid)], .rejected)
        #expect(CheckTable(result: result).markup.text.contains("state fail"))
    }

    private static func result(in store: MemoryCaptureStore, at now: Timestamp) async throws -> ProvenanceResult {
        let submission = SubmissionMaker.submission(seed: 1)
        _ = try await store.settle([.ofNobody(submission, at: now)], policy: .strict)
        return try #require(try await store.results(of: [submission.id])[submission.id])
    }

    /// Whoever asks why it is not done finds what its lane waits for.
    @Test func `the page of a capture that waits leads to the one of its device that is put off`() async throws {
        let fixture = try GatewayFixture().withOperators()
        let waiting = SubmissionMaker.submission(seed: 2)
        _ = try await fixture.queue.enqueue(waiting)
        try await fixture.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(waiting.id)").text
            // What a tab shows of it tells its state, and is what the search takes.
            let beginning = "\(waiting.id)".prefix(18)
            #expect(page.contains("<title>Queued: capture \(beginning) · capture-processor</title>"))
            #expect(IDPrefix(String(beginning)) != nil)
            let link = "/dashboard/captures?device=\(waiting.device)&state=retrying"
            #expect(page.contains(">queued<") && page.contains("\"\(link.replacing("&", with: "&amp;"))\""))
            #expect(try await login.get(link).status == 200)
        }
    }

    /// While it waits, its device's whole lane stands still.
    @Test(arguments: [(.bundleCorrupt, nil), (nil, "connection refused")] as [(Reason?, String?)])
    func `the page of a capture that is put off says why, and what helps where its bytes changed`(
        reason: Reason?, fault: String?
    ) async throws {
        let (id, time) = (CaptureID(UUID()), ManualTime())
        let job = JobStatus(
            id: id, device: DeviceID(UUID()), state: .retrying, attempts: 9, reason: reason,
            fault: fault ?? reason?.explanation, receivedAt: time.now, claimedAt: nil, settledAt: nil,
            nextAttemptAt: nil)
        let page = CapturePage(
            status: StatusDocument(job, for: .readToken), letter: nil, result: nil, assertion: nil, algorithm: nil,
            remains: reason == .bundleCorrupt ? .changed : .nothing,
            audit: try await AuditTrail(of: id.description, in: MemoryCaptureStore(time: time.source)))
        let user = DashboardUser(name: "alice", isOperator: false, token: .hash([]), formToken: "")
        let text = page.markup(Shell(user: user, now: time.now)).text
        #expect(!text.contains("transient"))
        let attempts = "9 attempts; it is given up after as many as <code>worker.attemptsMax</code> says"
        #expect(text.contains("<li class=\"count\"><span>\(attempts)</span></li>"), "one element, laid out as one text")
        let words = "It was put off: the capture&#39;s bytes changed in storage.</p>"
        #expect(text.contains(words) == (reason == .bundleCorrupt))
        #expect(text.contains("Only the same upload, sent once more, replaces them.") == (reason == .bundleCorrupt))
        #expect(text.contains("It was put off. Fault: <bdi>connection refused</bdi></p>") == (reason == nil))
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

    /// What somebody reads off a list finds the capture again.
    @Test func `a list shows of a capture's id what the search takes`() throws {
        let id = CaptureID(UUID())
        let text = Wording.capture(id).text
        let shown = try #require(text.firstMatch(of: /<code>(.*)<\/code>/)).1
        let prefix = try #require(IDPrefix(String(shown)))
        #expect("\(prefix.lowest)" <= "\(id)" && "\(id)" <= "\(prefix.highest)" && shown.count == 18)
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
