package import CaptureModel
package import CaptureStore
package import Enrolment
import PostgresClient

extension PostgresCaptureStore: EnrolmentStore {
    /// Reads a session.
    package func enrolment(_ id: EnrolmentID) async throws(StoreError) -> EnrolmentSession? {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.readEnrolment, [.digest(of: id)]).first?.enrolment(id)
        }
    }

    /// Registers the attested device and takes the session on to the password.
    package func attest(
        _ id: EnrolmentID, answering challenge: [UInt8], as registration: DeviceRegistration
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        let now = registration.device.registeredAt
        return try await step(.attestation, of: id, at: now) { session, connection throws(PostgresError) in
            guard session.challenge == challenge else { return .challengeUsed }
            // An enrolment makes a new device: neither its id nor its key may be registered before.
            guard registration.device.id == session.device,
                case .made = try await Self.register(registration, on: connection)
            else {
                _ = try await connection.execute(Statements.answerChallenge, [.digest(of: id)])
                try await connection.note(.enrolmentRefuse, of: session, at: now, ["reason": "CONFLICT"])
                return .conflict
            }
            _ = try await connection.execute(Statements.attestEnrolment, [.digest(of: id)])
            try await connection.note(.enrolmentAttest, of: session, at: now, ["device": "\(session.device)"])
            return nil
        }
    }

    /// Uses up a session's challenge after a bad attestation.
    package func refuseAttestation(
        of id: EnrolmentID, answering challenge: [UInt8], reason: String, at now: Timestamp
    ) async throws(StoreError) {
        _ = try await step(.attestation, of: id, at: now) { session, connection throws(PostgresError) in
            guard session.challenge == challenge else { return .challengeUsed }
            _ = try await connection.execute(Statements.answerChallenge, [.digest(of: id)])
            try await connection.note(.enrolmentRefuse, of: session, at: now, ["reason": reason])
            return nil
        }
    }

    /// Keeps the password hash, uses its transaction key up, and takes the session on.
    package func setPassword(
        _ hash: PasswordHash, from deviceKey: [UInt8], of id: EnrolmentID, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        try await step(.password, of: id, at: now) { session, connection throws(PostgresError) in
            _ = try await connection.execute(
                Statements.setEnrolmentPassword, [.digest(of: id), .text(hash.text), .bytes(deviceKey)])
            if let key = session.keys.first { try await Self.useUp(key.id, of: session, now, on: connection) }
            try await connection.note(.enrolmentPassword, of: session, at: now, [:])
            return nil
        }
    }

    /// Ends the enrolment, unless it has ended before.
    package func finalize(
        _ id: EnrolmentID, with completion: EnrolmentCompletion, at now: Timestamp
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        try await step(.finalize, of: id, at: now) { session, connection throws(PostgresError) in
            guard session.state != .enrolled else { return nil }
            _ = try await connection.execute(
                Statements.finalizeEnrolment,
                [
                    .digest(of: id), .timestamptz(now.storable), .bytes(completion.token.bytes),
                    .bytes(completion.credential.bytes), .bytes(completion.package),
                ])
            try await Self.useUp(completion.key, of: session, now, on: connection)
            try await connection.note(.enrolmentFinalize, of: session, at: now, ["device": "\(session.device)"])
            return nil
        }
    }

    /// Deletes data that is no longer needed.
    package func purgeEnrolments(expiredFor age: Duration, limit: Int) async throws(StoreError) -> Int {
        try await asStoreError { () throws(PostgresError) in
            let (age, limit) = (PostgresValue.int8(age.wholeMicroseconds), PostgresValue.int8(Int64(max(0, limit))))
            return try await client.execute(Statements.purgePackages, [limit]).rowsAffected
                + client.execute(Statements.purgeEnrolments, [age, limit]).rowsAffected
                + client.execute(Statements.purgeInvitations, [age, limit]).rowsAffected
        }
    }

    // MARK: Support

    /// Takes one step of a session under its lock, if it is the session's next.
    /// - Parameter body: Takes the step, or returns why it does not; its changes stay either way.
    /// - Returns: The session after the step.
    private func step(
        _ step: EnrolmentStep, of id: EnrolmentID, at now: Timestamp,
        _ body: (EnrolmentSession, PostgresConnection) async throws(PostgresError) -> EnrolmentRefusal?
    ) async throws(StoreError) -> Result<EnrolmentSession, EnrolmentRefusal> {
        try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                guard try await connection.execute(Statements.lockEnrolment, [.digest(of: id)]).count == 1,
                    let session = try await connection.enrolment(id)
                else { return .failure(.unknown) }
                if let refusal = session.refusal(of: step, at: now) { return .failure(refusal) }
                if let refusal = try await body(session, connection) { return .failure(refusal) }
                let after = try await connection.enrolment(id)
                return after.map { .success($0) } ?? .failure(.unknown)
            }
        }
    }

    private static func useUp(
        _ key: TransactionKeyID, of session: EnrolmentSession, _ now: Timestamp, on connection: PostgresConnection
    ) async throws(PostgresError) {
        let values: [PostgresValue] = [.digest(of: session.id), .uuid(key.uuid), .timestamptz(now.storable)]
        guard try await connection.execute(Statements.useTransactionKey, values).rowsAffected == 1 else {
            throw PostgresError(.decoding, "a transaction key was used before")
        }
    }
}
