import Bisection
import CaptureModel
import CaptureStore

extension BatchDecision {
    /// Looks up earlier decisions about captures that are to be given up, most often as their bytes are gone.
    ///
    /// A worker may have settled a capture and had its bytes removed while it was being declared dead: then the capture
    /// has a result and is not lost.
    ///
    /// It comes before the batch is decided: as long as nobody knows whether a capture is to be given up, no later one
    /// of its device may be decided. Its counter would be stale once its bytes have come again.
    ///
    /// A row that cannot be read is a fault of its own capture, as when a batch is decided, so the batch is halved to
    /// find it. After a conflict it is halved too, until the time to hold the batch is used up; the captures still
    /// unasked then count as having met the conflict.
    ///
    /// - Parameter conflictsMax: How many conflicts with what others do are tried again.
    mutating func recall(
        _ jobs: [CaptureJob], from store: some CaptureStore, _ patience: Patience,
        conflictsMax: Int = Patience.conflictsMax
    ) async {
        var parts = Bisection(jobs)
        let started = patience.now()
        while let part = parts.next() {
            let outcome = await patience.withStore(isReading: true, conflictsMax: conflictsMax, since: started) {
                () async throws(StoreError) in
                try await store.results(of: part.map(\.id))
            }
            switch outcome {
            case .done(let results):
                for (id, result) in results { answers[id] = Self.answer(result) }
            case .fault(let fault):
                let mayGoOn = !fault.isConflict || !fault.isOutOfTime && patience.mayHold(since: started)
                if mayGoOn, parts.halve(part) { continue }
                note(part, fault)
                guard !mayGoOn else { continue }
                note(parts.rest[...], fault)
                extent = .late
                return
            case .away:
                extent = .notRecalled
                return
            }
        }
    }

    private static func answer(_ result: ProvenanceResult) -> Answer {
        guard let decision = Decision(result.verdict, result.reason) else {
            return .unrecalled(Patience.Fault("the result has a verdict that its reason does not fit"))
        }
        return .settled(SettledCapture(id: result.id, decision: decision, wasSettledBefore: true))
    }

    private mutating func note(_ part: ArraySlice<CaptureJob>, _ fault: Patience.Fault) {
        for job in part { answers[job.id] = .unrecalled(fault) }
    }
}
