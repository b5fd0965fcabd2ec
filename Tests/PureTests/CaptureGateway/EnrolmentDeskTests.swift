import CaptureModel
import CaptureStore
import CoreMetrics
import DeviceSimulator
import Enrolment
import FoundationEssentials
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The desk of enrolments` {
    private let store = MemoryEnrolmentStore()
    private let code: InvitationCode
    private let bench: GatewayBench

    init() throws {
        var generator = SystemRandomNumberGenerator()
        code = .make(using: &generator)
        let seal = try #require(SecretSeal(keyFile: Data(generator.bytes(32)).base64EncodedString()))
        var bench = try GatewayBench()
        bench.dependencies.enrolment = EnrolmentRoom(store: store, seal: seal)
        self.bench = bench
    }

    private func start(_ gateway: GatewayCaller) async throws -> GatewayCaller.Answer {
        try await gateway.post(
            Operation.startEnrolment.path,
            ["invitation_code": .string("\(code)"), "device_id": .string("\(DeviceID(UUID()))"), "device_type": "ios"])
    }

    @Test(
        arguments: [
            (nil, .success(nil), .verified), (nil, .success(.conflict), .conflict),
            (nil, .success(.challengeUsed), .challengeInvalid), (nil, .success(.expired), .challengeInvalid),
            (nil, .success(.wrongStep(expected: .password)), .challengeInvalid),
            (nil, .failure(StoreError(.unavailable, "away")), .error), (.format, .success(nil), .rejected),
        ] as [(AttestationFlaw?, Result<EnrolmentRefusal?, StoreError>, CaptureMetrics.RegistrationOutcome)])
    func `counts every outcome of an enrolling device's registration`(
        flaw: AttestationFlaw?, answer: Result<EnrolmentRefusal?, StoreError>,
        outcome: CaptureMetrics.RegistrationOutcome
    ) async throws {
        store.invite(code: code, .open)
        store.answerAttestations(answer)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await bench.run { gateway in
                let began = try await start(gateway).data
                let challenge = try #require(
                    began["attestation_challenge"].text.flatMap { Data(base64Encoded: $0) })
                let form = try bench.form(bench.phone, Array(challenge), flaw: flaw)["attestation"]
                _ = try await gateway.post(
                    Operation.attestEnrolment.path,
                    [
                        "enrollment_session_id": began["enrollment_session_id"], "key_id": form["key_id"],
                        "attestation_object": form["attestation_object"],
                    ])
            }
        }
        let counted = registry.render().split(separator: "\n").filter {
            $0.hasPrefix("capture_registrations_total{") && !$0.hasSuffix(" 0")
        }
        #expect(counted == [#"capture_registrations_total{outcome="\#(outcome.rawValue)"} 1"#])
        #expect(store.refusals.isEmpty == (flaw == nil))
    }
}
