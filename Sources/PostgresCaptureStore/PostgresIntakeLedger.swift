package import CaptureModel
package import CaptureStore
package import PostgresClient

/// The ledger in PostgreSQL, in the same database as the record, so that the two never disagree about a result.
///
/// ```swift
/// let ledger = PostgresIntakeLedger(client: client)
/// let outcomes = try await ledger.record(submissions)
/// ```
package struct PostgresIntakeLedger: IntakeLedger {
    let client: PostgresClient
    /// How long a claim waits for a row that somebody has locked, as PostgreSQL reads it.
    let lockWait: String

    /// Keeps the ledger through a client, which stays the caller's to run.
    ///
    /// ``exclusively(_:)`` holds one connection while its body works with others.
    /// - Parameter lockWait: How long a claim waits for a row that somebody has locked.
    package init(client: PostgresClient, lockWait: Duration = .milliseconds(250)) {
        self.client = client
        self.lockWait = "\(lockWait.wholeMicroseconds)us"
    }

    /// Records uploads with one statement, one transaction and one wait for the disk, however many there are.
    package func record(
        _ submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        try await record(submissions, by: Statements.recordIntake, lockWait)
    }

    /// Records uploads without a good signature, by their bundle digests alone.
    package func record(
        byDigestAlone submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        try await record(submissions, by: Statements.recordIntakeByDigest, lockWait)
    }

    private func record(
        _ submissions: [CaptureSubmission], by statement: PostgresStatement, _ lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        guard !submissions.isEmpty else { return [] }
        return try await asStoreError { () throws(PostgresError) in
            // 0 would be for ever.
            let wait = PostgresValue.optional(lockWait) { .int4(Int32(clamping: max(1, $0.whole(.milliseconds(1))))) }
            let answer = try await client.execute(statement, submissions.intakeColumns + [wait])
            return try answer.intakeOutcomes(of: submissions)
        }
    }

    /// Deletes an open, unclaimed row; returns whether it did.
    package func withdraw(_ capture: CaptureID) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.withdrawIntake, [.uuid(capture.uuid)]).rowsAffected == 1
        }
    }

    /// Passes an open row to another capture of the bundle, as one that nobody has claimed; returns whether it did.
    package func passRow(
        of capture: CaptureID, to other: CaptureID, receivedAt: Timestamp
    ) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .uuid(capture.uuid), .uuid(other.uuid), .timestamptz(receivedAt.storable),
            ]
            do throws(PostgresError) {
                return try await client.execute(Statements.passIntake, values).rowsAffected == 1
            } catch  where error.sqlState == SQLState.uniqueViolation {
                // Another upload of the bundle has passed its own row at this very moment.
                return false
            }
        }
    }

    /// Deletes an open row, claimed or not; returns it as it was.
    package func discard(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry? {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.discardIntake, [.uuid(capture.uuid)]).first?.intakeEntry()
        }
    }

    /// Reinstates a row, or adds its times to the open row that its capture has got meanwhile.
    package func reinstate(_ row: IntakeEntry) async throws(StoreError) {
        try await asStoreError { () throws(PostgresError) in
            _ = try await client.execute(Statements.reinstateIntake, row.columns)
        }
    }

    /// The open rows after a place, in the order of acceptance.
    package func openIntake(
        after place: Int64, olderThan age: Duration, limit: Int
    ) async throws(StoreError) -> [OpenIntake] {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.int8(place), .int8(age.wholeMicroseconds), .int8(Int64(max(0, limit)))]
            return try await client.execute(Statements.openIntake, values).rows.map { row throws(PostgresError) in
                try OpenIntake(
                    place: row.int8("place"), capture: CaptureID(row.uuid("capture_id")),
                    device: DeviceID(row.uuid("device_id")), isDead: row.bool("is_dead"))
            }
        }
    }

    /// The place of the newest open row; 0 if there is none.
    package func newestPlace() async throws(StoreError) -> Int64 {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.newestIntake).first?.int8("place") ?? 0
        }
    }

    /// Reads the open rows among some captures' without claiming them.
    package func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry] {
        try await entries(Statements.intakeEntries, captures)
    }

    private func entries(
        _ statement: PostgresStatement, _ captures: [CaptureID]
    ) async throws(StoreError) -> [IntakeEntry] {
        guard !captures.isEmpty else { return [] }
        return try await asStoreError { () throws(PostgresError) in
            try await client.execute(statement, [captures.ids]).intakeEntries()
        }
    }

    /// Reads the rows of captures, open or closed; captures without a row are missing.
    package func accepted(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: AcceptedIntake] {
        guard !captures.isEmpty else { return [:] }
        return try await asStoreError { () throws(PostgresError) in
            var accepted: [CaptureID: AcceptedIntake] = [:]
            for row in try await client.execute(Statements.acceptedIntake, [captures.ids]).rows {
                try accepted[CaptureID(row.uuid("capture_id"))] = AcceptedIntake(
                    device: DeviceID(row.uuid("device_id")), receivedAt: row.moment("received_at"),
                    isOpen: row.bool("is_open"))
            }
            return accepted
        }
    }

    /// Notes that captures were seen among the dead letters, but for those whose rows somebody else has locked.
    package func noteDead(_ captures: [CaptureID]) async throws(StoreError) {
        guard !captures.isEmpty else { return }
        try await asStoreError { () throws(PostgresError) in
            _ = try await client.execute(Statements.noteDeadIntake, [captures.ids])
        }
    }

    /// Deletes up to `limit` rows that were closed longer ago than `age`; returns how many.
    package func purge(closedFor age: Duration, limit: Int) async throws(StoreError) -> Int {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.int8(age.wholeMicroseconds), .int8(Int64(max(0, limit)))]
            return try await client.execute(Statements.purgeIntake, values).rowsAffected
        }
    }

    /// Runs a body under the session's lock, which ends with the connection, however the process ends.
    /// - Throws: ``StoreError`` with code `refused`, after the body, if another session has the lock: then a pooler in
    ///   between shares sessions out.
    package func exclusively<Value: Sendable>(
        _ body: @Sendable () async -> Value
    ) async throws(StoreError) -> Value? {
        try await asStoreError { () throws(PostgresError) in
            try await client.withConnection { connection throws(PostgresError) -> Value? in
                let lock = AdvisoryLock.intake.values
                guard try await connection.execute(Statements.lockIntake, lock).first?.bool("is_mine") ?? false else {
                    return nil
                }
                let value = await body()
                guard await Self.isUnlocked(connection, lock) else {
                    // If this session has the lock after all, closing it releases the lock.
                    await connection.close()
                    throw PostgresError(
                        .configuration, "a lock was not the session's any more: a pooler has to pool sessions")
                }
                return value
            }
        }
    }

    /// Releases the lock; `false` if another session has it.
    ///
    /// A session that was silent for as long as the body took may be gone, and the lock with it: the server or a proxy
    /// ends idle sessions. The body's work is done all the same.
    private static func isUnlocked(_ connection: PostgresConnection, _ lock: [PostgresValue]) async -> Bool {
        do throws(PostgresError) {
            return try await connection.execute(Statements.unlockIntake, lock).first?.bool("was_mine") ?? false
        } catch {
            await connection.close()
            return true
        }
    }
}
