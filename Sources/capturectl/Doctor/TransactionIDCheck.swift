import CaptureStore
import PostgresCaptureStore
import PostgresClient

/// The line about PostgreSQL's transaction ids.
enum TransactionIDCheck {
    /// From how many ids in use vacuum is behind: it begins to force itself at a fifth of that.
    private static let noteMin = 1_000_000_000
    /// From how many there is little time left: PostgreSQL refuses writes at 2,144 million.
    private static let problemMin = 2_000_000_000

    /// Asks PostgreSQL; its owner may keep the figures from others.
    static func look(at record: PostgresClient) async throws(StoreError) -> DoctorCheck {
        do throws(StoreError) {
            return line(try await TransactionIDs.read(from: record))
        } catch {
            guard error.code == .refused else { throw error }
            return .notLookedAt(DoctorReport.ids, "PostgreSQL does not tell: \(error.message)")
        }
    }

    /// How it stands.
    static func line(_ ids: TransactionIDs) -> DoctorCheck {
        let shared = millions(ids.multixactsUsed)
        let found = "\(millions(ids.used)) transaction ids are in use, and \(shared) multixact ids"
        let forgotten = ids.holders.filter(\.isForgotten).map(words)
        let used = max(ids.used, ids.multixactsUsed)
        let end = "at 2144 million PostgreSQL refuses \(ids.used < ids.multixactsUsed ? sharedLocks : everyWrite)"
        guard used < problemMin else {
            return .problem(DoctorReport.ids, found, end, repair: repair, examples: forgotten)
        }
        guard used < noteMin else {
            return .note(
                DoctorReport.ids, found, "vacuum does not free them; \(end)", repair: repair, examples: forgotten)
        }
        guard forgotten.isEmpty else {
            return .note(
                DoctorReport.ids, "\(found); \(TerminalText.count(forgotten.count, "thing")) may hold them back",
                "PostgreSQL keeps ids and its log (WAL) for them, until it has no ids or its disk is full",
                repair: repair, examples: forgotten)
        }
        return .ok(DoctorReport.ids, found)
    }

    private static let everyWrite = "every write: uploads and registrations get 503, and workers wait"
    private static let sharedLocks = "each row lock that several transactions share, and with it some writes"
    private static let repair =
        "ROLLBACK PREPARED and pg_drop_replication_slot for what nobody needs; "
        + "RUNBOOKS.md, \"PostgreSQL without transaction ids\""

    private static func millions(_ ids: Int) -> String {
        ids < 1_000_000 ? "less than a million" : "\(ids / 1_000_000) million"
    }

    private static func words(_ holder: TransactionIDs.Holder) -> String {
        let ids = "\(millions(holder.ids)) ids"
        guard holder.isSlot else {
            return "prepared transaction \(holder.name): \(TerminalText.age(holder.age)) old, \(ids)"
        }
        return "replication slot \(holder.name): \(ids), \(TerminalText.bytes(holder.logBytes)) of WAL"
    }
}
