import CaptureModel
import TestSupport
import Testing

@Suite("What a worker found out about a capture") struct ExaminedCaptureTests {
    private static func acceptable(_ confidence: Confidence) -> ExaminedCapture {
        var maker = SubmissionMaker(seed: 1)
        let (submission, now) = (maker.submission(of: maker.device()), Timestamp(millisecondsSince1970: 0))
        let device = Device.phone(
            .attested(publicKey: [4], environment: .production, appID: "", trustRoot: ""), id: submission.device,
            registeredAt: now)
        return ExaminedCapture(
            job: CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false),
            clientDataHash: .hash([1]), checks: [],
            outcome: .acceptable(device: device, counter: 1, confidence: confidence), capturedAt: nil, verifiedAt: now)
    }

    @Test func `an acceptable capture has a confidence`() async throws {
        #expect(Self.acceptable(.low).outcome.confidence == .low)
        let stopped = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ExaminedCaptureTests.acceptable(.none)
        }
        #expect(stopped.errorText.contains("an acceptable capture without a confidence"))
    }
}
