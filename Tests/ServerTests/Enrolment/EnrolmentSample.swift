import CaptureModel
import CaptureStore
import Enrolment
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// What a test makes of chance.
struct EnrolmentSample {
    var generator = SystemRandomNumberGenerator()
    let code: InvitationCode
    let invitation: Invitation

    init(expiresAt: Timestamp = moment(86_400)) {
        code = .make(using: &generator)
        invitation = Invitation(
            id: .make(using: &generator), note: "for a test", createdAt: moment(0), createdBy: "alice",
            expiresAt: expiresAt)
    }

    mutating func session(
        of device: DeviceID = DeviceID(UUID()), expiresAt: Timestamp = moment(1800)
    ) -> EnrolmentSession {
        EnrolmentSession(
            id: .make(using: &generator), user: .make(using: &generator), device: device, expiresAt: expiresAt,
            challenge: generator.bytes(32),
            keys: (0..<3).map { _ in
                .init(
                    id: .make(using: &generator), publicKey: generator.bytes(32),
                    sealedPrivateKey: generator.bytes(60))
            })
    }

    mutating func completion(_ key: TransactionKeyID) -> EnrolmentCompletion {
        EnrolmentCompletion(
            key: key, token: .hash(generator.bytes(8)), credential: .hash(generator.bytes(8)),
            package: generator.bytes(40))
    }
}

extension EnrolmentSession {
    /// The registration that its attestation would make, of a key that is told by a number.
    func registration(key: UInt8 = 1, at now: Timestamp = moment(10)) -> DeviceRegistration {
        .sample(key: key, id: device, at: now)
    }

    /// The challenge that is still to be answered.
    func openChallenge() throws -> [UInt8] { try #require(challenge) }
}

extension PasswordHash {
    /// A hash that is well-formed, of no password.
    static func sample() throws -> PasswordHash {
        try PasswordHash(
            Array(
                "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g".utf8
            ))
    }
}

/// Runs a body with a session that has begun.
func withEnrolmentSession(
    connections: Int = 4,
    _ body: (PostgresCaptureStore, PostgresClient, EnrolmentSession, inout EnrolmentSample) async throws -> Void
) async throws {
    try await withPostgresStore(connections: connections) { store, client async throws in
        var sample = EnrolmentSample()
        let session = sample.session()
        try await store.invite(sample.invitation, code: sample.code.digest)
        #expect(try await store.begin(session, invited: sample.code.digest, at: moment(1)) == .begun)
        try await body(store, client, session, &sample)
    }
}
