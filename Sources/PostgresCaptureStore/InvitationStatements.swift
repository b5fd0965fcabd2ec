import PostgresClient

extension Statements {
    // MARK: Invitations

    /// The statements of invitations.
    static let invitations = [
        insertInvitation, listInvitations, listInvitationsAfter, hasInvitation, revokeInvitation, standingInvitation,
        lockInvitation, useInvitation,
    ]

    static let insertInvitation = PostgresStatement(
        "invitation_insert",
        """
        INSERT INTO invitations (id, code_digest, note, created_at, created_by, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        """)

    /// Lists the newest invitations, `$1` at the most.
    static let listInvitations = PostgresStatement(
        "invitation_list", joining: "SELECT", invitationColumns, "FROM invitations", invitationsTail)

    /// Lists the invitations that come after `$2`, `$1` at the most; none if there is no such one.
    static let listInvitationsAfter = PostgresStatement(
        "invitation_list_after", joining: "SELECT", invitationColumns, "FROM invitations",
        "WHERE (created_at, id) < (SELECT created_at, id FROM invitations WHERE id = $2)", invitationsTail)

    private static let invitationColumns: StaticString =
        "id, note, created_at, created_by, expires_at, used_at, revoked_at"

    private static let invitationsTail: StaticString = """
        ORDER BY created_at DESC, id DESC
        LIMIT $1
        """

    static let hasInvitation = PostgresStatement(
        "invitation_there", "SELECT EXISTS (SELECT FROM invitations WHERE id = $1) AS is_there")

    /// Returns the row as it was before; two commands lock it one after the other.
    static let revokeInvitation = PostgresStatement(
        "invitation_revoke",
        joining: """
            WITH before AS (
                SELECT * FROM invitations WHERE id = $1 FOR UPDATE
            ), changed AS (
                UPDATE invitations SET revoked_at = $2
                FROM before
                WHERE invitations.id = before.id AND before.used_at IS NULL AND before.revoked_at IS NULL
                    AND before.expires_at > $2
                RETURNING invitations.id
            ), noted AS (
                INSERT INTO audit (at, actor, action, subject)
                SELECT $2, $3, 'invitation.revoke', id::text FROM changed
            )
            SELECT
            """,
        invitationColumns, "FROM before")

    static let standingInvitation = PostgresStatement(
        "invitation_standing", joining: "SELECT", invitationColumns, "FROM invitations", "WHERE code_digest = $1")

    /// When two race, the second waits for the first one's commit, and finds the invitation used.
    static let lockInvitation = PostgresStatement(
        "invitation_lock",
        joining: "SELECT", invitationColumns, "FROM invitations", "WHERE code_digest = $1", "FOR UPDATE")

    static let useInvitation = PostgresStatement("invitation_use", "UPDATE invitations SET used_at = $2 WHERE id = $1")
}
