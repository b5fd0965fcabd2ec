public import CaptureModel
public import CaptureStore

/// What ledger and record tell of a capture.
public enum RecordedStanding: Sendable, Equatable {
    /// It was accepted and has no result yet.
    case open
    /// It has its result.
    case settled

    /// Asks both for the standings of captures; those that neither knows are missing from the answer.
    public static func reader(
        of store: some CaptureStore, and ledger: some IntakeLedger
    ) -> @Sendable ([CaptureID]) async throws(StoreError) -> [CaptureID: RecordedStanding] {
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
