import CaptureStore
import PostgresCaptureStore

/// How much the record holds, to be shown before a part of it is dropped.
struct DroppedRecord: Sendable {
    /// Counting stops here, as counting all results would take long.
    private static let countMax = 1_000_000

    /// Results, up to a million.
    let results: Int
    /// Open rows of the ledger, up to a million.
    let openRows: Int

    /// Whether there may be more results.
    var isResultsOrMore: Bool { results >= Self.countMax }
    /// Whether there may be more open rows.
    var isOpenRowsOrMore: Bool { openRows >= Self.countMax }

    /// Counts in a schema of some version.
    init(by migrator: Migrator, version: Int) async throws(StoreError) {
        (results, openRows) = try await migrator.count(at: version, most: Self.countMax)
    }

    /// In a line.
    var text: String {
        let results = TerminalText.count(self.results, "result", orMore: isResultsOrMore)
        let openRows = TerminalText.count(self.openRows, "open row", orMore: isOpenRowsOrMore)
        return "it holds \(results), and in the ledger \(openRows)"
    }
}
