package import CaptureStore
package import PostgresClient

/// How many of PostgreSQL's transaction ids are in use, and what keeps it from freeing them or its log of changes.
///
/// Vacuum frees the oldest ids. Without any left PostgreSQL refuses whoever writes: PostgreSQL manual, "Preventing
/// Transaction ID Wraparound Failures".
package struct TransactionIDs: Sendable, Equatable {
    /// The transaction ids in use, in the database that has the oldest.
    package let used: Int
    /// The ids in use of row locks that several transactions share (multixacts).
    package let multixactsUsed: Int
    /// What holds ids or the log of changes back, the oldest first; ``holdersMax`` at the most.
    package let holders: [Holder]

    /// How many holders are read.
    package static let holdersMax = 100

    /// Takes what was found.
    package init(used: Int, multixactsUsed: Int, holders: [Holder] = []) {
        self.used = used
        self.multixactsUsed = multixactsUsed
        self.holders = holders
    }

    /// Reads the figures, which any user may see where the server's owner has not taken that away.
    /// - Throws: ``StoreError`` `refused` where it was taken away.
    package static func read(from client: PostgresClient) async throws(StoreError) -> TransactionIDs {
        try await asStoreError { () throws(PostgresError) in
            guard let row = try await client.execute(Statements.transactionIDsUsed).first else {
                throw PostgresError(.decoding, "the server told no ages")
            }
            var found: [Holder] = []
            for holder in try await client.execute(Statements.transactionIDHolders, [.int8(Int64(holdersMax))]).rows {
                found.append(try Holder(holder))
            }
            return TransactionIDs(
                used: Int(try row.int8("used")), multixactsUsed: Int(try row.int8("multixacts_used")), holders: found)
        }
    }
}

extension TransactionIDs {
    /// A replication slot or a prepared transaction: PostgreSQL keeps what either may still need, for good.
    package struct Holder: Sendable, Equatable {
        /// Whether it is a replication slot.
        package let isSlot: Bool
        /// The slot's name, or the prepared transaction's identifier.
        package let name: String
        /// How many transaction ids it holds back.
        package let ids: Int
        /// How much of the log of changes (WAL) a slot keeps on the disk.
        package let logBytes: Int
        /// How long ago a transaction was prepared.
        package let age: Duration

        /// Takes what was found.
        package init(isSlot: Bool, name: String, ids: Int, logBytes: Int = 0, age: Duration = .zero) {
            self.isSlot = isSlot
            self.name = name
            self.ids = ids
            self.logBytes = logBytes
            self.age = age
        }

        fileprivate init(_ row: PostgresRow) throws(PostgresError) {
            self.init(
                isSlot: try row.bool("is_slot"), name: try row.text("name"), ids: Int(try row.int8("ids")),
                logBytes: Int(try row.int8("log_bytes")), age: .seconds(try row.int8("seconds")))
        }

        /// Whether it holds back more than one that is in use does: a gibibyte of the log or ten million ids, or, of a
        /// prepared transaction, for an hour.
        package var isForgotten: Bool { logBytes >= 1 << 30 || ids >= 10_000_000 || age >= .seconds(3600) }
    }
}

extension Statements {
    static let transactionIDsUsed = PostgresStatement(
        "transaction_ids_used",
        """
        SELECT max(age(datfrozenxid))::bigint AS used, max(mxid_age(datminmxid))::bigint AS multixacts_used
        FROM pg_database WHERE datconnlimit <> -2
        """)

    static let transactionIDHolders = PostgresStatement(
        "transaction_id_holders",
        """
        SELECT true AS is_slot, slot_name::text AS name, greatest(age(xmin), age(catalog_xmin), 0)::bigint AS ids,
            coalesce(greatest(pg_wal_lsn_diff(
                CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                restart_lsn), 0), 0)::bigint AS log_bytes, 0::bigint AS seconds
        FROM pg_replication_slots
        UNION ALL
        SELECT false, gid, age(transaction)::bigint, 0,
            greatest(extract(epoch FROM clock_timestamp() - prepared), 0)::bigint
        FROM pg_prepared_xacts
        ORDER BY ids DESC, name LIMIT $1
        """)
}
