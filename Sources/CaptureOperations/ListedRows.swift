import CaptureModel
import CaptureStore

/// The rows of a page of captures, and the queue's states of those without a result.
///
/// Read the record first, then the queue. A capture that is settled in between has no result in the first read: ask the
/// record again for ``late``.
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

    /// The captures that the queue calls settled, mostly after the record was read; at most as many as there are rows.
    var late: [CaptureID] {
        rows.filter { $0.result == nil && status(of: $0)?.state.isSettled == true }.map(\.id)
    }

    /// A line for each row, but for those that the queue calls settled and of which the record has no result.
    ///
    /// The record has lost it, or somebody has written to Redis: nobody can say where such a capture stands.
    /// - Parameter results: The results of ``late``, as far as there are any.
    func lines(late results: [CaptureID: ProvenanceResult]) -> [ListedCapture] {
        rows.compactMap { row in
            // The result may belong to another device's capture that has the same id.
            guard row.result == nil, let result = results[row.id], result.device == row.device else {
                let isLost = row.result == nil && status(of: row)?.state.isSettled == true
                return isLost ? nil : ListedCapture(row, status(of: row))
            }
            // Keeps the row's time, by which the list is sorted.
            let settled = ArchivedCapture(
                id: row.id, device: row.device, receivedAt: row.receivedAt, result: ArchivedCapture.Result(result))
            return ListedCapture(settled, nil)
        }
    }

    /// What the queue says of a row; nothing if it speaks of another device's capture that has the same id.
    private func status(of row: ArchivedCapture) -> JobStatus? {
        guard let status = states[row.id], status.device == row.device else { return nil }
        return status
    }
}

extension ArchivedCapture.Result {
    /// Takes a result by itself, without the highest counter of its key.
    fileprivate init(_ result: ProvenanceResult) {
        self.init(
            verdict: result.verdict, reason: result.reason, confidence: result.confidence, counter: result.counter,
            counterHighest: nil, attempts: result.attempts, isRedriven: result.isRedriven,
            verifiedAt: result.verifiedAt, compromisedSince: result.compromisedSince)
    }
}
