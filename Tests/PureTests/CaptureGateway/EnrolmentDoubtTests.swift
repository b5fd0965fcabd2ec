import CaptureModel
import CaptureStore
import enum Crypto.Curve25519
import DeviceSimulator
import Enrolment
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `An enrolment whose answers are lost` {
    typealias Fault = MemoryEnrolmentStore.Fault

    private let store = MemoryEnrolmentStore()
    private let code: InvitationCode
    private let device = DeviceID(UUID())
    private let atRestKey: String
    private let fixture: GatewayFixture

    init() throws {
        var generator = SystemRandomNumberGenerator()
        code = .make(using: &generator)
        atRestKey = Data(generator.bytes(32)).base64EncodedString()
        let seal = try #require(SecretSeal(keyFile: atRestKey))
        var fixture = try GatewayFixture()
        fixture.dependencies.enrolment = EnrolmentDependencies(store: store, seal: seal)
        self.fixture = fixture
        store.invite(code: code, .open)
    }

    private func start(_ gateway: GatewayCaller, of device: DeviceID? = nil) async throws -> GatewayCaller.Answer {
        try await gateway.post(
            Operation.startEnrolment.path,
            [
                "invitation_code": .string("\(code)"), "device_id": .string("\(device ?? self.device)"),
                "device_type": "ios",
            ])
    }

    // MARK: The start

    @Test(
        arguments: [
            [Fault(code: .outcomeUnknown, isDone: true)], [Fault(code: .outcomeUnknown)], [Fault(code: .conflict)],
            [Fault(code: .outcomeUnknown, isDone: true), Fault(code: .unavailable), Fault(code: .busy)],
            [Fault(code: .outcomeUnknown), Fault(code: .unavailable), Fault(code: .outcomeUnknown, isDone: true)],
        ])
    func `an enrolment in doubt begins once, and is told as soon as the record answers`(faults: [Fault]) async throws {
        store.fail(.start, with: faults)
        try await fixture.run { gateway in
            let answer = try await start(gateway)
            #expect(answer.status == 201 && store.calls(.start) == faults.count + 1)
            let id = try #require(answer.data["enrollment_session_id"].string.flatMap { EnrolmentID($0) })
            let session = try #require(store.enrolment(id))
            #expect(answer.data["user_guid"].string == "\(session.user)")
            let challenge = try #require(session.challenge)
            #expect(answer.data["attestation_challenge"].string == Data(challenge).base64EncodedString())
            let keys = answer.data["transaction_keys"].elements.compactMap { $0["key_id"].string }
            #expect(keys == session.keys.map(\.id.description))
        }
    }

    @Test(arguments: [[.unavailable], [.busy], [.conflict, .conflict]] as [[StoreError.Code]])
    func `an enrolment in doubt does not begin while the record is away, and leaves the invitation open`(
        codes: [StoreError.Code]
    ) async throws {
        store.fail(.start, with: codes.map { Fault(code: $0) })
        try await fixture.run { gateway in
            let refused = try await start(gateway)
            #expect(refused.status == 503 && refused.code == "UNAVAILABLE" && store.calls(.start) == codes.count)
            #expect(try await start(gateway).status == 201)
        }
    }

    @Test func `an enrolment that is in doubt for too long is told when its device asks again`() async throws {
        var fixture = self.fixture
        fixture.configuration.intake.wait = .milliseconds(1)
        store.fail(.start, with: [Fault(code: .outcomeUnknown, isDone: true)])
        try await fixture.run { gateway in
            let refused = try await start(gateway)
            #expect(refused.status == 503 && refused.code == "UNAVAILABLE" && store.calls(.start) == 1)
            let again = try await start(gateway)
            #expect(again.status == 201 && again.data["transaction_keys"].elements.count == 20)
            #expect(store.calls(.start) == 1, "it has begun before")
        }
    }

    @Test func `an enrolment in doubt is answered the same to its device until its challenge is, and to nobody else`()
        async throws
    {
        try await fixture.run { gateway in
            let first = try await start(gateway)
            let again = try await start(gateway)
            #expect(first.status == 201 && again.status == 201 && again.data == first.data)
            let other = try await start(gateway, of: DeviceID(UUID()))
            #expect(other.status == 409 && other.code == "INVITATION_USED")

            let id = try #require(first.data["enrollment_session_id"].string.flatMap { EnrolmentID($0) })
            let session = try #require(store.enrolment(id))
            store.keep(session, in: .attestationRequired, deviceKey: nil)
            #expect(try await start(gateway).code == "INVITATION_USED", "its challenge is used up")
            store.keep(session, in: .passwordRequired, deviceKey: nil)
            #expect(try await start(gateway).code == "INVITATION_USED")
        }
    }

    @Test func `an enrolment in doubt is over with its time`() async throws {
        try await fixture.run { gateway in
            #expect(try await start(gateway).status == 201)
            fixture.time.advance(by: .seconds(1799))
            #expect(try await start(gateway).status == 201)
            fixture.time.advance(by: .seconds(1))
            let late = try await start(gateway)
            #expect(late.status == 409 && late.code == "INVITATION_USED")
        }
    }

    @Test func `an enrolment in doubt is found by gateways on either side of a change of keys`() async throws {
        let next = Data([UInt8](repeating: 7, count: 32)).base64EncodedString()
        let seal = try #require(SecretSeal(keyFile: "\(next)\n\(atRestKey)"))
        var changed = fixture
        changed.dependencies.enrolment = EnrolmentDependencies(store: store, seal: seal)
        try await fixture.run { [changed] gateway in
            let first = try await start(gateway)
            try await changed.run { other in
                let again = try await start(other)
                #expect(again.data == first.data)
            }
        }
    }

    @Test func `an enrolment in doubt does not begin for an id that is registered, and leaves the invitation open`()
        async throws
    {
        store.register(device)
        try await fixture.run { gateway in
            let refused = try await start(gateway)
            #expect(refused.status == 409 && refused.code == "CONFLICT")
            #expect(refused.message?.contains("new device id and a new App Attest key") == true)
            #expect(try await start(gateway, of: DeviceID(UUID())).status == 201)
            #expect(try await start(gateway).code == "INVITATION_USED", "the invitation is looked at first")
        }
    }

    // MARK: The other steps

    @Test(arguments: [true, false])
    func `an enrolment whose attestation may have been taken goes on where it stands`(isDone: Bool) async throws {
        store.fail(.attestation, with: [Fault(code: .outcomeUnknown, isDone: isDone)])
        try await fixture.run { gateway in
            let began = try await start(gateway).data
            let body = try fixture.attestation(of: began)
            #expect(try await gateway.post(Operation.attestEnrolment.path, body).status == 503)
            try await registerAttested()
            let again = try await gateway.post(Operation.attestEnrolment.path, body)
            #expect(again.status == 200 && again.data["next_step"] == "password_required")
            #expect(again.data["password_key_id"] == began["transaction_keys"].elements.first?["key_id"])
            #expect(store.registrations.count == 1 && store.calls(.attestation) == (isDone ? 1 : 2))
        }
    }

    @Test func `an attested enrolment tells that to its own key only, and only until the password is set`()
        async throws
    {
        try await fixture.run { gateway in
            let began = try await start(gateway).data
            let (body, other) = (try fixture.attestation(of: began), try fixture.attestation(of: began))
            let first = try await gateway.post(Operation.attestEnrolment.path, body)
            try await registerAttested()
            let again = try await gateway.post(Operation.attestEnrolment.path, body)
            #expect(first.status == 200 && again.status == 200 && again.data == first.data)
            let foreign = try await gateway.post(Operation.attestEnrolment.path, other)
            #expect(foreign.status == 409 && foreign.code == "WRONG_STEP")
            #expect(foreign.json["error"]["details"]["expected_step"] == "password_required")

            let id = try #require(began["enrollment_session_id"].string.flatMap { EnrolmentID($0) })
            store.keep(try #require(store.enrolment(id)), in: .passwordSet, deviceKey: nil)
            let late = try await gateway.post(Operation.attestEnrolment.path, body)
            #expect(late.status == 409 && late.json["error"]["details"]["expected_step"] == "finalize")
            #expect(store.calls(.attestation) == 1)
        }
    }

    /// Two requests that both found the challenge open: the record tells the second that the first was taken.
    @Test func `an enrolment whose attestation comes twice at once is answered twice`() async throws {
        try await fixture.run { gateway in
            let began = try await start(gateway).data
            let body = try fixture.attestation(of: began)
            let id = try #require(began["enrollment_session_id"].string.flatMap { EnrolmentID($0) })
            let open = try #require(store.enrolment(id))
            #expect(try await gateway.post(Operation.attestEnrolment.path, body).status == 200)
            try await registerAttested()
            store.answerAttestations(.success(.wrongStep(expected: .password)), findingFirst: open)
            let second = try await gateway.post(Operation.attestEnrolment.path, body)
            #expect(second.status == 200 && second.data["next_step"] == "password_required")
            #expect(store.calls(.attestation) == 2)
        }
    }

    @Test(arguments: KeyNotTakenTests.Change.all)
    func `an enrolment whose key is not taken any more is not answered again`(change: KeyNotTakenTests.Change)
        async throws
    {
        var changed = fixture
        change.configure(&changed.configuration)
        try await fixture.run { [changed] gateway in
            let body = try fixture.attestation(of: try await start(gateway).data)
            #expect(try await gateway.post(Operation.attestEnrolment.path, body).status == 200)
            try await registerAttested()
            try await changed.run { other in
                let refused = try await other.post(Operation.attestEnrolment.path, body)
                #expect(refused.status == 401 && refused.code == "ATTESTATION_FAILED")
                #expect(refused.reason == change.reason.rawValue)
            }
        }
    }

    /// Keeps the attested device where gateways look devices up: in PostgreSQL it is one transaction.
    private func registerAttested() async throws {
        for registration in store.registrations { _ = try await fixture.store.register(registration) }
    }

    @Test(arguments: [true, false])
    func `an enrolment whose end may have been kept has one credential`(isDone: Bool) async throws {
        store.fail(.finalize, with: [Fault(code: .outcomeUnknown, isDone: isDone)])
        try await fixture.run { gateway in
            let device = try await fixture.register(fixture.phone, gateway)
            let began = try await start(gateway, of: device).data["enrollment_session_id"]
            let id = try #require(began.string.flatMap { EnrolmentID($0) })
            let session = try #require(store.enrolment(id))
            let key = Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
            store.keep(session, in: .passwordSet, deviceKey: key)
            let body: JSONValue = ["enrollment_session_id": .string("\(id)")]
            #expect(try await gateway.post(Operation.finalizeEnrolment.path, body).status == 503)
            #expect(store.enrolment(id)?.state == (isDone ? .enrolled : .passwordSet))
            let package = store.enrolment(id)?.package
            let first = try await gateway.post(Operation.finalizeEnrolment.path, body)
            let again = try await gateway.post(Operation.finalizeEnrolment.path, body)
            #expect(first.status == 200 && again.status == 200 && again.data == first.data)
            if isDone { #expect(store.enrolment(id)?.package == package) }
            #expect(store.calls(.finalize) == (isDone ? 1 : 2))
        }
    }
}
