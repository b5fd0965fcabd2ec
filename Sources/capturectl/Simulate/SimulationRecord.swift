import CaptureModel
import GatewayClient

/// A device's outcome in a simulation.
struct SimulatedDeviceRecord: Sendable, Encodable {
    /// Counts from 1.
    var number: Int
    /// Its id at the gateway.
    @OrNull var device: DeviceID? = nil
    /// The attestation level that the gateway gave it.
    @OrNull var level: AttestationLevel? = nil
    /// Why its attestation was not trusted, or why it could not register.
    @OrNull var reason: String? = nil
    /// Whether this is what had to become of it.
    var expected: Bool
    /// Whether the gateway did not answer at all.
    var unreachable = false

    enum CodingKeys: String, CodingKey {
        case number, device, level, reason, expected
    }

    /// As tables name it.
    var title: String { "device \(number)" }
}

/// A capture's outcome in a simulation: one row of the table.
struct CaptureRecord: Sendable, Encodable {
    /// Counts from 1.
    var number: Int
    /// The sending device; counts from 1.
    var device: Int
    /// Its id at the gateway.
    @OrNull var capture: CaptureID?
    var scenario: Scenario
    /// Size of the photo.
    var photoBytes: Int
    /// The expected outcome, in words.
    var expectation: String
    var verdict: String
    @OrNull var reason: String?
    @OrNull var confidence: Confidence?
    @OrNull var queueMilliseconds: Double?
    @OrNull var verifyMilliseconds: Double?
    @OrNull var settleMilliseconds: Double?
    /// From the first byte of the upload to the gateway's answer.
    @OrNull var uploadMilliseconds: Double?
    /// Whether this is what had to become of it.
    var expected: Bool
    /// Whether the run was stopped before there was a verdict.
    var isOpen: Bool

    /// Whether something else became of it than had to.
    var isUnexpected: Bool { !expected && !isOpen }

    enum CodingKeys: String, CodingKey {
        case number, device, capture, scenario, expectation, verdict, reason, confidence, expected
        case photoBytes = "photo_bytes"
        case queueMilliseconds = "queue_ms"
        case verifyMilliseconds = "verify_ms"
        case settleMilliseconds = "settle_ms"
        case uploadMilliseconds = "upload_ms"
    }

    /// Notes a capture's outcome.
    init(
        _ plan: SimulationPlan.PlannedCapture, device: Int, capture: CaptureID?, outcome: Outcome,
        expectation: Expectation, upload: Duration?
    ) {
        number = plan.number
        self.device = device + 1
        self.capture = capture
        scenario = plan.scenario
        photoBytes = plan.photoBytes
        self.expectation = expectation.title
        verdict = outcome.verdict
        reason = outcome.reason
        confidence = outcome.status?.confidence
        queueMilliseconds = outcome.status?.timings.queue?.milliseconds
        verifyMilliseconds = outcome.status?.timings.verify?.milliseconds
        settleMilliseconds = outcome.status?.timings.settle?.milliseconds
        uploadMilliseconds = upload?.milliseconds
        expected = outcome.meets(expectation)
        isOpen = outcome == .stopped
    }
}

extension Duration {
    /// The duration in milliseconds, to the microsecond.
    var milliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
