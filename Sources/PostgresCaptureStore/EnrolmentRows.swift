import CaptureModel
import CaptureStore
import Enrolment
import PostgresClient

extension PostgresRow {
    func invitation() throws(PostgresError) -> Invitation {
        try Invitation(
            id: InvitationID(uuid("id")), note: textOptional("note"), createdAt: moment("created_at"),
            createdBy: text("created_by"), expiresAt: moment("expires_at"), usedAt: momentOptional("used_at"),
            revokedAt: momentOptional("revoked_at"))
    }

    /// Reads a session; its id is given, as the row has only the digest.
    func enrolment(_ id: EnrolmentID) throws(PostgresError) -> EnrolmentSession {
        try EnrolmentSession(
            id: id, user: UserGUID(uuid("user_guid")), device: DeviceID(uuid("device_id")), state: value("state"),
            expiresAt: moment("expires_at"), challenge: bytesOptional("challenge"),
            deviceKey: bytesOptional("device_key"), keys: transactionKeys(), package: bytesOptional("package"),
            revokedAt: momentOptional("revoked_at"))
    }

    private func transactionKeys() throws(PostgresError) -> [EnrolmentSession.TransactionKey] {
        let ids = try uuidArray("key_ids")
        let halves = try zip(bytesArray("public_keys"), bytesArray("private_keys"))
        var keys: [EnrolmentSession.TransactionKey] = []
        for (id, (publicKey, sealed)) in zip(ids, halves) {
            try keys.append(
                EnrolmentSession.TransactionKey(
                    id: TransactionKeyID(made("key_ids", id)), publicKey: made("public_keys", publicKey),
                    sealedPrivateKey: sealed))
        }
        return keys
    }
}

extension PostgresValue {
    /// The digest by which a session is found.
    static func digest(of session: EnrolmentID) -> PostgresValue { .bytes(session.digest.bytes) }
}

extension PostgresConnection {
    /// Reads a session.
    func enrolment(_ id: EnrolmentID) throws(PostgresError) -> EnrolmentSession? {
        try execute(Statements.readEnrolment, [.digest(of: id)]).first?.enrolment(id)
    }

    /// Notes a step of a session in the audit, under the user's name: the session's id is a secret.
    func note(
        _ action: AuditAction, of session: EnrolmentSession, at now: Timestamp, _ details: [String: String]
    ) throws(PostgresError) {
        let entry = AuditEntry(
            at: now, actor: "gateway", action: action, subject: "\(session.user)", details: details)
        _ = try execute(Statements.recordAudit, [entry].values)
    }
}
