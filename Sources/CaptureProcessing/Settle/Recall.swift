import Bisection
import CaptureModel
import CaptureStore

/// The record's answer about captures that are to be given up, most often as their bytes are gone.
///
/// A worker may have settled a capture and had its bytes removed while it was being declared dead: then the capture has
/// a result and is not lost.
struct Recall: Sendable {
    /// How far the record came.
    enum Extent: Sendable {
        /// Each capture was looked up, or has a fault.
        case whole
        /// As `whole`, but conflicts took all the time for which a batch is held.
        case late
        /// The record stayed away before each capture was looked up; then it is asked nothing else.
        case away
    }

    /// The captures that have a result.
    var results: [CaptureID: Decision] = [:]
    /// The captures of which the record cannot say whether they have a result, and why.
    var faults: [CaptureID: Patience.Fault] = [:]
    /// How far the record came.
    var extent = Extent.whole

    /// Looks up which captures have a result.
    ///
    /// It comes before the batch is decided: as long as nobody knows whether a capture is to be given up, no later one
    /// of its device may be decided. Its counter would be stale once its bytes have come again.
    ///
    /// A row that cannot be read is a fault of its own capture, as when a batch is decided, so the batch is halved to
    /// find it. After a conflict it is halved too, until the time to hold the batch is used up; the captures still
    /// unasked then count as having met the conflict.
    ///
    /// - Parameter conflictsMax: How many conflicts with what others do are tried again.
    static func of(
        _ jobs: [CaptureJob], from store: some CaptureStore, _ patience: Patience,
        conflictsMax: Int = Patience.conflictsMax
    ) async -> Recall {
        var recall = Recall()
        var parts = Bisection(jobs)
        let started = patience.now()
        while let part = parts.next() {
            let outcome = await patience.withStore(isReading: true, conflictsMax: conflictsMax, since: started) {
                () async throws(StoreError) in
                try await store.results(of: part.map(\.id))
            }
            switch outcome {
            case .done(let results): recall.note(results)
            case .fault(let fault):
                let mayGoOn = !fault.isConflict || !fault.isOutOfTime && patience.mayHold(since: started)
                if mayGoOn, parts.halve(part) { continue }
                recall.note(part, fault)
                guard !mayGoOn else { continue }
                recall.note(parts.rest[...], fault)
                recall.extent = .late
                return recall
            case .away:
                recall.extent = .away
                return recall
            }
        }
        return recall
    }

    private mutating func note(_ found: [CaptureID: ProvenanceResult]) {
        for (capture, result) in found {
            if let decision = Decision(result.verdict, result.reason) {
                results[capture] = decision
            } else {
                faults[capture] = Patience.Fault("the result has a verdict that its reason does not fit")
            }
        }
    }

    private mutating func note(_ part: ArraySlice<CaptureJob>, _ fault: Patience.Fault) {
        for job in part { faults[job.id] = fault }
    }
}
