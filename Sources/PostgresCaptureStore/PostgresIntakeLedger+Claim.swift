package import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresIntakeLedger {
    /// Claims open rows, and closes those whose captures have results.
    ///
    /// Mostly a row is locked for a moment only, by an upload of its bundle or by its result: the claim waits for it,
    /// once it has all others.
    package func claim(_ captures: [CaptureID]) async throws(StoreError) -> IntakeClaim {
        guard !captures.isEmpty else { return IntakeClaim() }
        return try await asStoreError { () throws(PostgresError) in
            let free = try await claim(captures, isWaiting: false)
            guard !free.locked.isEmpty else { return free }
            do throws(PostgresError) {
                return free.followed(by: try await claim(Array(free.locked), isWaiting: true))
            } catch  where error.sqlState == SQLState.lockNotAvailable {
                // One of them is locked for longer than that; the others may be free by now.
                return free.followed(by: try await claim(Array(free.locked), isWaiting: false))
            }
        }
    }

    /// Claims open rows in one transaction.
    ///
    /// They are first locked, because the rows that are locked by others would hold up the statement that claims. Whoever
    /// waits locks them in order of their ids: a transaction that settles them locks them in that order, too. A row that
    /// comes after that is left to the next claim, or it would be locked out of order.
    private func claim(_ captures: [CaptureID], isWaiting: Bool) async throws(PostgresError) -> IntakeClaim {
        try await client.withTransaction { connection throws(PostgresError) -> IntakeClaim in
            if isWaiting { _ = try await connection.execute(Statements.setLockTimeout, [.text(lockWait)]) }
            let hold = isWaiting ? Statements.holdIntake : Statements.holdFreeIntake
            let held = try await connection.execute(hold, [captures.ids]).rows.map { row throws(PostgresError) in
                try CaptureID(row.uuid("capture_id"))
            }
            // For no ids at all PostgreSQL may choose a plan that reads every open row.
            let entries =
                held.isEmpty
                ? [] : try await connection.execute(Statements.claimIntake, [held.ids]).intakeEntries()
            let rest = Array(Set(captures).subtracting(held))
            guard !rest.isEmpty else { return IntakeClaim(entries: entries) }
            let rows = try await connection.execute(Statements.acceptedIntake, [rest.ids]).rows
            let locked = try rows.map { row throws(PostgresError) -> CaptureID? in
                try row.bool("is_open") ? CaptureID(row.uuid("capture_id")) : nil
            }
            return IntakeClaim(entries: entries, locked: Set(locked.compactMap(\.self)))
        }
    }
}
