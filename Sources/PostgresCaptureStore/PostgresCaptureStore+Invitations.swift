package import CaptureModel
package import CaptureStore
package import Enrolment
import PostgresClient

extension PostgresCaptureStore {
    /// Keeps a new invitation under the digest of its code.
    package func invite(_ invitation: Invitation, code: SHA256Digest) async throws(StoreError) {
        try await asStoreError { () throws(PostgresError) in
            let entry = AuditEntry(
                at: invitation.createdAt, actor: invitation.createdBy, action: .invitationCreate,
                subject: "\(invitation.id)", details: ["expires_at": invitation.expiresAt.rfc3339])
            let values: [PostgresValue] = [
                .uuid(invitation.id.uuid), .bytes(code.bytes), .optional(invitation.note) { .text($0) },
                .timestamptz(invitation.createdAt.storable), .text(invitation.createdBy),
                .timestamptz(invitation.expiresAt.storable),
            ]
            try await client.withTransaction { connection throws(PostgresError) in
                _ = try await connection.execute(Statements.insertInvitation, values)
                _ = try await connection.execute(Statements.recordAudit, [entry].values)
            }
        }
    }

    /// Lists invitations, newest first, after the given one.
    package func invitations(after: InvitationID?, limit: Int) async throws(StoreError) -> [Invitation] {
        try await asStoreError { () throws(PostgresError) in
            let limit = PostgresValue.int8(Int64(max(0, limit)))
            let found =
                if let after {
                    try await client.execute(Statements.listInvitationsAfter, [limit, .uuid(after.uuid)])
                } else {
                    try await client.execute(Statements.listInvitations, [limit])
                }
            return try found.rows.map { row throws(PostgresError) in
                try row.invitation()
            }
        }
    }

    /// Whether there is an invitation of this id; one that led to no enrolment is deleted after a while.
    package func hasInvitation(_ id: InvitationID) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.hasInvitation, [.uuid(id.uuid)]).first?.bool("is_there") ?? false
        }
    }

    /// Revokes an invitation unless it was used; returns its earlier standing, `nil` when there is none of this id.
    package func revokeInvitation(
        _ id: InvitationID, at now: Timestamp, actor: String
    ) async throws(StoreError) -> Invitation.Standing? {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.uuid(id.uuid), .timestamptz(now.storable), .text(actor)]
            return try await client.execute(Statements.revokeInvitation, values).first?.invitation().standing(at: now)
        }
    }

    /// The standing of a code's invitation; `nil` when there is none.
    package func standing(of code: SHA256Digest, at now: Timestamp) async throws(StoreError) -> Invitation.Standing? {
        try await asStoreError { () throws(PostgresError) in
            let values = [PostgresValue.bytes(code.bytes)]
            return try await client.execute(Statements.standingInvitation, values).first?.invitation().standing(at: now)
        }
    }

    /// Uses an invitation up, and keeps the session that it opens, unless its device is registered.
    package func begin(
        _ session: EnrolmentSession, invited code: SHA256Digest, at now: Timestamp
    ) async throws(StoreError) -> EnrolmentOpening {
        try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                try await Self.begin(session, code, now, on: connection)
            }
        }
    }

    /// Checks the invitation first: a caller without one learns nothing about devices.
    private static func begin(
        _ session: EnrolmentSession, _ code: SHA256Digest, _ now: Timestamp, on connection: PostgresConnection
    ) async throws(PostgresError) -> EnrolmentOpening {
        let held = try await connection.execute(Statements.lockInvitation, [.bytes(code.bytes)]).first
        guard let invitation = try held?.invitation() else { return .refused(nil) }
        let standing = invitation.standing(at: now)
        guard standing == .open else { return .refused(standing) }
        let device = PostgresValue.uuid(session.device.uuid)
        let isTaken = try await connection.execute(Statements.isDeviceTaken, [device]).first?.bool("is_taken")
        guard isTaken == false else { return .registered }
        let (id, moment) = (PostgresValue.uuid(invitation.id.uuid), PostgresValue.timestamptz(now.storable))
        _ = try await connection.execute(Statements.useInvitation, [id, moment])
        _ = try await connection.execute(
            Statements.insertEnrolment,
            [
                .digest(of: session.id), .uuid(session.user.uuid), id, device, moment,
                .timestamptz(session.expiresAt.storable), .optional(session.challenge) { .bytes($0) },
            ])
        _ = try await connection.execute(
            Statements.insertTransactionKeys,
            [
                .digest(of: session.id), .uuidArray(session.keys.map(\.id.uuid)),
                .bytesArray(session.keys.map(\.publicKey)), .bytesArray(session.keys.map(\.sealedPrivateKey)),
            ])
        try await connection.note(
            .enrolmentStart, of: session, at: now, ["invitation": "\(invitation.id)", "device": "\(session.device)"])
        return .begun
    }
}
