import CaptureInspection
import CaptureModel
import CaptureStore
import CoreMetrics
import enum Crypto.Curve25519
import DeviceSimulator
import Enrolment
import FoundationEssentials
import Observability
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Enrolling a device` {
    private let store = MemoryEnrolmentStore()
    private let code: InvitationCode
    private let chance = Chance()
    private let fixture: GatewayFixture

    /// Counts the words of chance that were taken.
    private final class Chance: Sendable {
        private let words = Mutex(0)
        var count: Int { words.withLock { $0 } }
        func word() -> UInt64 {
            words.withLock { $0 += 1 }
            return .random(in: .min ... .max)
        }
    }

    init() throws {
        var generator = SystemRandomNumberGenerator()
        code = .make(using: &generator)
        let seal = try #require(SecretSeal(keyFile: Data(generator.bytes(32)).base64EncodedString()))
        var fixture = try GatewayFixture()
        fixture.dependencies.enrolment = EnrolmentDependencies(store: store, seal: seal)
        fixture.dependencies.random = { [chance] in chance.word() }
        self.fixture = fixture
    }

    private func start(_ gateway: GatewayCaller) async throws -> GatewayCaller.Answer {
        try await gateway.post(
            Operation.startEnrolment.path,
            ["invitation_code": .string("\(code)"), "device_id": .string("\(DeviceID(UUID()))"), "device_type": "ios"])
    }

    /// Codes of invitations cannot be tried without an end.
    @Test func `enrolling is limited for each client, and for each step by itself`() async throws {
        var fixture = self.fixture
        fixture.configuration.rates.challengeLimit = 1
        try await fixture.run { gateway in
            #expect(try await start(gateway).status != 429)
            let limited = try await start(gateway)
            #expect(limited.status == 429 && limited.code == "RATE_LIMITED")
            #expect(try await gateway.post(Operation.attestEnrolment.path, [:]).status == 400)
        }
    }

    @Test(arguments: [1, 8, 29])
    func `enrolling keeps a receipt for its exchange that is as old as the attestation may be`(minutes: Int)
        async throws
    {
        var fixture = self.fixture
        fixture.configuration.trust.receiptRoots = fixture.configuration.trust.roots
        let receipts = try TestReceiptIssuer(authority: fixture.authority, at: fixture.time.now.date)
        store.invite(code: code, .open)
        try await fixture.run { [fixture] gateway in
            let began = try await start(gateway).data
            let form = try fixture.attestation(of: began, receipts: receipts)
            fixture.time.advance(by: .seconds(60 * minutes))
            _ = try await gateway.post(Operation.attestEnrolment.path, form)
        }
        let registration = try #require(store.registrations.first)
        #expect(registration.device.level == .secureEnclave && registration.receipt?.isEmpty == false)
        #expect(registration.receiptRejection == nil)
    }

    @Test func `enrolling takes its own challenges only, and they are taken nowhere else`() async throws {
        store.invite(code: code, .open)
        try await fixture.run { gateway in
            let began = try await start(gateway).data
            let own = try #require(began["attestation_challenge"].string.flatMap { Data(base64Encoded: $0) })
            let elsewhere = try await gateway.post(
                "/api/v1/devices/register", fixture.form(fixture.phone, Array(own)))
            #expect(elsewhere.status == 401 && elsewhere.code == "CHALLENGE_INVALID")

            var foreign = began
            foreign["attestation_challenge"] = .base64(try await gateway.challenge())
            let crossed = try await gateway.post(
                Operation.attestEnrolment.path, fixture.attestation(of: foreign))
            #expect(crossed.status == 401 && crossed.code == "ATTESTATION_FAILED")
            #expect(store.refusals == ["NONCE_MISMATCH"] && store.registrations.isEmpty)
        }
    }

    @Test(
        arguments: [
            (nil, nil, Device.modelUnknown, true), ("iPhone17,1", nil, "iPhone17,1", true),
            ("iPhone8,1", false, "iPhone8,1", false), (nil, false, Device.modelUnknown, false),
        ] as [(String?, Bool?, String, Bool)])
    func `enrolling takes what a device does not say for nothing that its captures could contradict`(
        saidModel: String?, saidLidar: Bool?, model: String, hasLidar: Bool
    ) async throws {
        store.invite(code: code, .open)
        try await fixture.run { gateway in
            let began = try await start(gateway).data
            var form: JSONValue? = try fixture.attestation(of: began)
            form["model"] = saidModel.map(JSONValue.string)
            form["has_lidar"] = saidLidar.map(JSONValue.bool)
            _ = try await gateway.post(Operation.attestEnrolment.path, form)
        }
        let device = try #require(store.registrations.first?.device)
        #expect(device.model == model && device.hasLidar == hasLidar)
        // Whoever does not say the model says nothing of the sensor, whatever is on record.
        let known = RegisteredDevice(device)
        #expect(known.model == saidModel && known.hasLidar == (saidModel == nil ? nil : hasLidar))
    }

    @Test(
        arguments: [
            (nil, "INVITATION_UNKNOWN"), (.used, "INVITATION_USED"), (.expired, "INVITATION_EXPIRED"),
            (.revoked, "INVITATION_UNKNOWN"),
        ] as [(Invitation.Standing?, String)])
    func `enrolling makes keys only for an invitation that is open`(
        standing: Invitation.Standing?, refusal: String
    ) async throws {
        if let standing { store.invite(code: code, standing) }
        try await fixture.run { gateway in
            #expect(try await start(gateway).code == refusal)
            #expect(chance.count < 20, "a key alone takes 32")
            store.invite(code: code, .open)
            let answer = try await start(gateway)
            #expect(answer.status == 201 && answer.data["transaction_keys"].elements.count == 20)
        }
    }

    @Test(
        arguments: KeyNotTakenTests.Change.all, [EnrolmentState.passwordRequired, .passwordSet, .enrolled])
    func `enrolling goes no further with a key that was taken out of the configuration since it was attested`(
        change: KeyNotTakenTests.Change, state: EnrolmentState
    ) async throws {
        store.invite(code: code, .open)
        var changed = fixture
        change.configure(&changed.configuration)
        try await fixture.run { [changed] gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let began = try await gateway.post(
                Operation.startEnrolment.path,
                [
                    "invitation_code": .string("\(code)"), "device_id": .string("\(device)"), "device_type": "ios",
                ]
            ).data["enrollment_session_id"]
            let id = try #require(began.string.flatMap { EnrolmentID($0) })
            let session = try #require(store.enrolment(id))
            let key = Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
            store.keep(session, in: state == .passwordRequired ? state : .passwordSet, deviceKey: key)
            let form: JSONValue = [
                "enrollment_session_id": .string("\(id)"), "key_id": .string("\(session.keys[1].id)"),
                "encrypted_password_hash": .base64([UInt8](repeating: 1, count: 64)),
                "nonce": .base64([UInt8](repeating: 1, count: 12)),
            ]
            let path = (state == .passwordRequired ? Operation.setEnrolmentPassword : .finalizeEnrolment).path
            if state == .enrolled { #expect(try await gateway.post(path, form).status == 200) }
            try await changed.run { other in
                let refused = try await other.post(path, form)
                #expect(refused.status == 401 && refused.code == "ATTESTATION_FAILED")
                #expect(refused.reason == change.reason.rawValue)
                #expect(refused.data["credential_package"] == nil)
            }
            #expect(store.enrolment(id)?.state == state)
            // Nothing was used up: where the key is still taken, the session goes on.
            let taken = try await gateway.post(path, form)
            #expect(taken.status == (state == .passwordRequired ? 400 : 200))
        }
    }

    @Test(
        arguments: [
            (nil, .success(nil), .verified), (nil, .success(.conflict), .conflict),
            (nil, .success(.challengeUsed), .challengeInvalid), (nil, .success(.expired), .challengeInvalid),
            (nil, .success(.wrongStep(expected: .password)), .challengeInvalid),
            (nil, .failure(StoreError(.unavailable, "away")), .error), (.format, .success(nil), .rejected),
        ] as [(AttestationFlaw?, Result<EnrolmentRefusal?, StoreError>, CaptureMetrics.RegistrationOutcome)])
    func `enrolling counts every outcome of an enrolling device's registration`(
        flaw: AttestationFlaw?, answer: Result<EnrolmentRefusal?, StoreError>,
        outcome: CaptureMetrics.RegistrationOutcome
    ) async throws {
        store.invite(code: code, .open)
        store.answerAttestations(answer)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await fixture.run { gateway in
                let began = try await start(gateway).data
                let form = try fixture.attestation(of: began, flaw: flaw)
                _ = try await gateway.post(Operation.attestEnrolment.path, form)
            }
        }
        #expect(
            Self.registrations(registry) == [#"capture_registrations_total{outcome="\#(outcome.rawValue)"} 1"#])
        let told = try StrictExposition(registry.render())
        let taken = ["done": "1", "refused": "0", "error": "0"]
        let refused = ["done": "0", "refused": "1", "error": "0"]
        let failed = ["done": "0", "refused": "0", "error": "1"]
        for (step, count) in outcome == .verified ? taken : outcome == .error ? failed : refused {
            let labels = ["step": "attestation", "outcome": step]
            #expect(told.value("capture_enrolment_steps_total", labels) == count, "\(step)")
        }
        #expect(store.refusals.isEmpty == (flaw == nil))
    }

    /// Before anything is looked at that the device sends.
    @Test func `enrolling counts an attestation for which there is no session, no time, no step or no challenge`()
        async throws
    {
        store.invite(code: code, .open)
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await fixture.run { gateway in
                let began = try await start(gateway).data
                let form = try fixture.attestation(of: began)
                let id = try #require(began["enrollment_session_id"].string.flatMap { EnrolmentID($0) })
                let session = try #require(store.enrolment(id))
                func refused(_ form: JSONValue?) async throws -> String? {
                    try await gateway.post(Operation.attestEnrolment.path, form).code
                }
                var unknown: JSONValue? = form
                unknown["enrollment_session_id"] = .string("\(DeviceID(UUID()))")
                #expect(try await refused(unknown) == "ENROLLMENT_NOT_FOUND")
                store.keep(session, in: .passwordSet, deviceKey: nil)
                #expect(try await refused(form) == "WRONG_STEP")
                store.keep(session, in: .attestationRequired, deviceKey: nil)
                #expect(try await refused(form) == "CHALLENGE_INVALID")
                fixture.time.advance(by: .seconds(1800))
                #expect(try await refused(form) == "ENROLLMENT_EXPIRED")
            }
        }
        #expect(Self.registrations(registry) == [#"capture_registrations_total{outcome="challenge_invalid"} 4"#])
    }

    private static func registrations(_ registry: PrometheusRegistry) -> [Substring] {
        registry.render().split(separator: "\n").filter {
            $0.hasPrefix("capture_registrations_total{") && !$0.hasSuffix(" 0")
        }
    }
}
