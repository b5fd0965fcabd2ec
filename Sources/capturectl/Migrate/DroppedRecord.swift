import PostgresClient

/// How much the record holds, for whoever is about to drop a part of it.
struct DroppedRecord: Sendable {
    /// Counting ends here, as a way through all results takes its time.
    private static let countMax = 1_000_000

    /// Results, up to a million.
    let results: Int
    /// Open rows of the ledger, up to a million.
    let openRows: Int

    /// Whether there may be more results than that.
    var isResultsOrMore: Bool { results >= Self.countMax }
    /// Whether there may be more open rows than that.
    var isOpenRowsOrMore: Bool { openRows >= Self.countMax }

    /// Counts in a schema of some version.
    init(in postgres: PostgresClient, version: Int) async throws(PostgresError) {
        results = try await Self.count(Self.countResults, since: 1, in: postgres, version)
        openRows = try await Self.count(Self.countOpenRows, since: 3, in: postgres, version)
    }

    /// In a line.
    var text: String {
        let results = Wording.count(self.results, "result", orMore: isResultsOrMore)
        let openRows = Wording.count(self.openRows, "open row", orMore: isOpenRowsOrMore)
        return "it holds \(results), and in the ledger \(openRows)"
    }

    /// - Parameter first: The version that has brought the table.
    private static func count(
        _ statement: PostgresStatement, since first: Int, in postgres: PostgresClient, _ version: Int
    ) async throws(PostgresError) -> Int {
        guard version >= first else { return 0 }
        let row = try await postgres.execute(statement, [.int8(Int64(countMax))]).first
        return try Int(row?.int8("rows") ?? 0)
    }

    // Here and not among the record's statements, which are those of the newest schema only.
    private static let countResults = PostgresStatement(
        "dropped_results", "SELECT count(*) AS rows FROM (SELECT FROM captures LIMIT $1) AS counted")
    private static let countOpenRows = PostgresStatement(
        "dropped_open_rows",
        "SELECT count(*) AS rows FROM (SELECT FROM intake WHERE closed_at IS NULL LIMIT $1) AS counted")
}
