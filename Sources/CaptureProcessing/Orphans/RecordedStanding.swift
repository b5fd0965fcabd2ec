package import CaptureModel
package import CaptureStore

/// The standing of a capture by ledger and record.
package enum RecordedStanding: Sendable, Equatable {
    /// It was accepted and has no result yet.
    case open
    /// It has its result.
    case settled

    /// Reads the standings of captures; unknown captures are missing from the answer.
    package typealias Reader = @Sendable ([CaptureID]) async throws(StoreError) -> [CaptureID: RecordedStanding]

    /// Makes a reader that asks ledger and record; captures that neither knows are missing from the answer.
    package static func reader(
        of store: some CaptureStore, and ledger: some IntakeLedger
    ) -> Reader {
        { captures async throws(StoreError) in
            var standings = try await ledger.accepted(captures).mapValues {
                $0.isOpen ? RecordedStanding.open : .settled
            }
            // Rows are deleted with the result or some time after it, and without a ledger there are none.
            for capture in try await store.results(of: captures.filter { standings[$0] == nil }).keys {
                standings[capture] = .settled
            }
            return standings
        }
    }
}
