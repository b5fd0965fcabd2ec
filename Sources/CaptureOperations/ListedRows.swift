import CaptureModel
import CaptureStore

/// The rows of a page of a list, and what the queue says of those without a result.
///
/// The queue is asked after the record: what was settled in between is settled by the queue and has no result here yet.
/// The record has it by then, and is asked once more for those.
///
/// ```swift
/// let rows = ListedRows(found, try await queue.status(of: open).compactMap(\.self))
/// let lines = rows.lines(late: try await store.results(of: rows.late))
/// ```
struct ListedRows: Sendable {
    private let rows: [ArchivedCapture]
    private let states: [CaptureID: JobStatus]

    /// Takes rows, and the states of those that the queue knows.
    init(_ rows: [ArchivedCapture], _ states: [JobStatus]) {
        self.rows = rows
        self.states = Dictionary(states.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The captures that came to their results after the record was asked: at most as many as there are rows.
    var late: [CaptureID] {
        rows.filter { $0.result == nil && states[$0.id]?.state.isFinal == true }.map(\.id)
    }

    /// A line for each row.
    /// - Parameter results: Those of ``late``, as far as there are any.
    func lines(late results: [CaptureID: ProvenanceResult]) -> [ListedCapture] {
        rows.map { row in
            // An id that another device's capture has as well is not this row's.
            guard row.result == nil, let result = results[row.id], result.device == row.device else {
                return ListedCapture(row, states[row.id])
            }
            // The row's moment, by which the list is sorted, stays.
            let settled = ArchivedCapture(
                id: row.id, device: row.device, receivedAt: row.receivedAt, result: ArchivedCapture.Result(result))
            return ListedCapture(settled, nil)
        }
    }
}

extension ArchivedCapture.Result {
    /// What a result says by itself; the highest counter of its key is not told with it.
    fileprivate init(_ result: ProvenanceResult) {
        self.init(
            verdict: result.verdict, reason: result.reason, confidence: result.confidence, counter: result.counter,
            counterHighest: nil, attempts: result.attempts, redriven: result.redriven, verifiedAt: result.verifiedAt,
            compromisedSince: result.compromisedSince)
    }
}
