package import CaptureModel
package import CaptureStore

/// What ledger and record tell of a capture.
package enum RecordedStanding: Sendable, Equatable {
    /// It was accepted and has no result yet.
    case open
    /// It has its result.
    case settled

    /// Answers with the standings of those captures that are known.
    package typealias Reader = @Sendable ([CaptureID]) async throws(StoreError) -> [CaptureID: RecordedStanding]

    /// Asks both for the standings of captures; those that neither knows are missing from the answer.
    package static func reader(
        of store: some CaptureStore, and ledger: some IntakeLedger
    ) -> Reader {
        { captures async throws(StoreError) in
            var standings = try await ledger.accepted(captures).mapValues {
                $0.isOpen ? RecordedStanding.open : .settled
            }
            // Rows go with results or some time after them, and without a ledger there are none.
            for capture in try await store.results(of: captures.filter { standings[$0] == nil }).keys {
                standings[capture] = .settled
            }
            return standings
        }
    }
}
