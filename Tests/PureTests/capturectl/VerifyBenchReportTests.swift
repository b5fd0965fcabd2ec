import Testing

@testable import capturectl

struct VerifyBenchReportTests {
    @Test func `what is fast enough is no excess`() {
        #expect(Self.report().excesses.isEmpty)
    }

    @Test func `what takes as long as its limit is told by name and time`() {
        let report = Self.report(attestation: 0.5, assertion: 0.05, ed25519: 0.0512, challenge: 0.01)
        #expect(
            report.excesses == [
                "an attestation: 500.00 ms of processor time, 500 or more",
                "a request's assertion: 50.00 ms of processor time, 50 or more",
                "a request's Ed25519 signature: 51.20 ms of processor time, 50 or more",
                "a challenge: 10.00 ms of processor time, 10 or more",
            ])
    }

    private static func report(
        attestation: Double = 0.4, assertion: Double = 0.04, ed25519: Double = 0.04, challenge: Double = 0.009
    ) -> VerifyBenchReport {
        VerifyBenchReport(
            seconds: 1, attestationSeconds: attestation, assertionSeconds: assertion, assertionTogetherSeconds: nil,
            ed25519Seconds: ed25519, challengeSeconds: challenge, p256Seconds: 0.0001, p384Seconds: 0.001,
            hashBytesPerSecond: 1e9)
    }
}
