import CaptureModel
import CaptureStore
import enum Crypto.Curve25519
import DeviceSimulator
import Enrolment
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The secrets of enrolments in the record` {
    private let store = MemoryEnrolmentStore()
    private let seal: SecretSeal
    private let fixture: GatewayFixture
    private let deviceKey = Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)

    init() throws {
        var generator = SystemRandomNumberGenerator()
        seal = try #require(SecretSeal(keyFile: Data(generator.bytes(32)).base64EncodedString()))
        var fixture = try GatewayFixture()
        fixture.dependencies.enrolment = EnrolmentDependencies(store: store, seal: seal)
        self.fixture = fixture
    }

    /// A session of a device that is registered, brought to a state.
    private func session(_ gateway: GatewayCaller, in state: EnrolmentState) async throws -> EnrolmentSession {
        var generator = SystemRandomNumberGenerator()
        let code = InvitationCode.make(using: &generator)
        store.invite(code: code, .open)
        let device = try await fixture.register(fixture.phone, gateway)
        let began = try await gateway.post(
            Operation.startEnrolment.path,
            ["invitation_code": .string("\(code)"), "device_id": .string("\(device)"), "device_type": "ios"]
        ).data["enrollment_session_id"]
        let id = try #require(began.string.flatMap { EnrolmentID($0) })
        return store.keep(try #require(store.enrolment(id)), in: state, deviceKey: deviceKey)
    }

    private func finalize(_ session: EnrolmentSession, _ gateway: GatewayCaller) async throws -> GatewayCaller.Answer {
        try await gateway.post(
            Operation.finalizeEnrolment.path, ["enrollment_session_id": .string("\(session.id)")])
    }

    private func setPassword(
        _ session: EnrolmentSession, _ gateway: GatewayCaller
    ) async throws -> GatewayCaller.Answer {
        try await gateway.post(
            Operation.setEnrolmentPassword.path,
            [
                "enrollment_session_id": .string("\(session.id)"), "key_id": .string("\(session.keys[0].id)"),
                "encrypted_password_hash": .base64([UInt8](repeating: 1, count: 64)),
                "nonce": .base64([UInt8](repeating: 1, count: 12)),
            ])
    }

    /// The session with the first two of its sealed keys in each other's place.
    private func swapped(_ session: EnrolmentSession) -> EnrolmentSession {
        var keys = session.keys
        for (place, other) in [(0, 1), (1, 0)] {
            let key = session.keys[place]
            keys[place] = .init(
                id: key.id, publicKey: key.publicKey, sealedPrivateKey: session.keys[other].sealedPrivateKey)
        }
        return EnrolmentSession(
            id: session.id, user: session.user, device: session.device, expiresAt: session.expiresAt, challenge: nil,
            keys: keys)
    }

    @Test func `the secrets of enrolments are sealed for what they are and whose, in the words that Enrolment.md has`()
        async throws
    {
        try await fixture.run { gateway in
            let session = try await session(gateway, in: .passwordSet)
            #expect(session.keys.count > 1)
            for key in session.keys {
                let bytes = try seal.open(#require(key.sealedPrivateKey), for: "transaction-key|\(key.id)")
                let privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
                #expect(Array(privateKey.publicKey.rawRepresentation) == key.publicKey)
            }
            #expect(try await finalize(session, gateway).status == 200)
            let package = try #require(store.enrolment(session.id)?.package)
            #expect(try !seal.open(package, for: "package|\(session.id)").isEmpty)
        }
    }

    @Test func `the secrets of enrolments do not open in each other's rows, and nothing is used up`() async throws {
        try await fixture.run { gateway in
            let waiting = try await session(gateway, in: .passwordRequired)
            store.keep(swapped(waiting), in: .passwordRequired, deviceKey: nil)
            let refused = try await setPassword(waiting, gateway)
            #expect(refused.status == 500 && refused.code == "INTERNAL_ERROR")
            #expect(store.enrolment(waiting.id)?.state == .passwordRequired)
            store.keep(waiting, in: .passwordRequired, deviceKey: nil)
            #expect(try await setPassword(waiting, gateway).reason == "SEAL_INVALID", "its keys open")

            let ready = try await session(gateway, in: .passwordSet)
            store.keep(swapped(ready), in: .passwordSet, deviceKey: deviceKey)
            let failed = try await finalize(ready, gateway)
            #expect(failed.status == 500 && failed.code == "INTERNAL_ERROR")
            #expect(store.calls(.finalize) == 0 && store.enrolment(ready.id)?.state == .passwordSet)
            store.keep(ready, in: .passwordSet, deviceKey: deviceKey)
            #expect(try await finalize(ready, gateway).status == 200)
        }
    }

    @Test func `the secrets of enrolments are no other session's package`() async throws {
        try await fixture.run { gateway in
            let sessions = [
                try await session(gateway, in: .passwordSet), try await session(gateway, in: .passwordSet),
            ]
            for session in sessions { #expect(try await finalize(session, gateway).status == 200) }
            let packages = sessions.map { store.enrolment($0.id)?.package }
            for (session, package) in zip(sessions, packages.reversed()) {
                store.keep(session, in: .enrolled, deviceKey: deviceKey, package: package)
                let refused = try await finalize(session, gateway)
                #expect(refused.status == 500 && refused.data["credential_package"] == nil)
            }
            for (session, package) in zip(sessions, packages) {
                store.keep(session, in: .enrolled, deviceKey: deviceKey, package: package)
                #expect(try await finalize(session, gateway).status == 200)
            }
        }
    }
}
