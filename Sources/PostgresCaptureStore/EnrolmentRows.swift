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

    func enrolment(keys: [EnrolmentSession.TransactionKey]) throws(PostgresError) -> EnrolmentSession {
        try EnrolmentSession(
            id: EnrolmentID(uuid("id")), user: UserGUID(uuid("user_guid")), device: DeviceID(uuid("device_id")),
            state: value("state"), expiresAt: moment("expires_at"), challenge: bytesOptional("challenge"),
            deviceKey: bytesOptional("device_key"), keys: keys, package: bytesOptional("package"),
            revokedAt: momentOptional("revoked_at"))
    }

    func transactionKey() throws(PostgresError) -> EnrolmentSession.TransactionKey {
        try EnrolmentSession.TransactionKey(
            id: TransactionKeyID(uuid("id")), publicKey: bytes("public_key"),
            sealedPrivateKey: bytesOptional("private_key"))
    }
}

extension PostgresConnection {
    /// A session as the statement finds it, with its keys.
    func enrolment(_ id: EnrolmentID, by statement: PostgresStatement) throws(PostgresError) -> EnrolmentSession? {
        let values = [PostgresValue.uuid(id.uuid)]
        guard let row = try execute(statement, values).first else { return nil }
        var keys: [EnrolmentSession.TransactionKey] = []
        for key in try execute(Statements.transactionKeys, values).rows { try keys.append(key.transactionKey()) }
        return try row.enrolment(keys: keys)
    }

    /// Notes a step of a session in the audit, under its user's name: a session's own is a secret.
    func note(
        _ action: String, of session: EnrolmentSession, at now: Timestamp, _ details: [String: String]
    ) throws(PostgresError) {
        let entry = AuditEntry(
            at: now, actor: "gateway", action: "enrolment.\(action)", subject: "\(session.user)", details: details)
        _ = try execute(Statements.recordAudit, [entry].values)
    }
}
