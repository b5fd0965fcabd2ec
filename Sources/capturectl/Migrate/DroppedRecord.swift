import CaptureStore
import PostgresCaptureStore

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
