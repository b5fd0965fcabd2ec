import CaptureModel
import CaptureQueue
import CaptureStore

/// Finds out where captures stand: the queue tells, and the record tells what became of those that are settled.
///
/// What neither knows and the ledger has accepted is queued: the queue has lost it and gets it back.
struct CaptureLookup: Sendable {
    private let queue: any CaptureQueue
    private let store: any CaptureStore
    private let intake: (any IntakeLedger)?

    init(queue: any CaptureQueue, store: any CaptureStore, intake: (any IntakeLedger)?) {
        self.queue = queue
        self.store = store
        self.intake = intake
    }

    /// Where captures stand, in the order asked, without those that are unknown or not the reader's to see.
    ///
    /// The record is asked only about captures that are settled or given up, or that the queue has forgotten.
    func statuses(of captures: [CaptureID], for reader: Reader) async throws(APIError) -> [StatusDocument] {
        let jobs = try await jobs(captures)
        var wanted: [CaptureID] = []
        for (capture, job) in zip(captures, jobs) where job?.state.isTerminal ?? true { wanted.append(capture) }
        let results = wanted.isEmpty ? [:] : try await results(wanted)
        let forgotten = zip(captures, jobs).filter { $1 == nil && results[$0] == nil }.map(\.0)
        let accepted = try await accepted(forgotten)
        return zip(captures, jobs).compactMap { capture, job in
            // A result is what holds, of dead letters as well: their bytes may have been lost while a worker that had
            // read them was on its way to the record. One under whose id another device's capture was handed off later
            // is its own device's to see, as that dead letter is the other's.
            if let result = results[capture], reader.maySee(capturesOf: result.device) { return StatusDocument(result) }
            guard let job = job ?? accepted[capture], reader.maySee(capturesOf: job.device) else { return nil }
            return StatusDocument(job)
        }
    }

    /// Where one capture stands.
    ///
    /// - Throws: `CAPTURE_NOT_FOUND` when it is unknown or not the reader's to see: nobody learns which ([R-ST-3]).
    func status(of capture: CaptureID, for reader: Reader) async throws(APIError) -> StatusDocument {
        guard let status = try await statuses(of: [capture], for: reader).first else { throw .captureNotFound }
        return status
    }

    private func jobs(_ captures: [CaptureID]) async throws(APIError) -> [JobStatus?] {
        do throws(QueueError) { return try await queue.status(of: captures) } catch { throw .unavailable(error) }
    }

    private func accepted(_ captures: [CaptureID]) async throws(APIError) -> [CaptureID: JobStatus] {
        guard let intake, !captures.isEmpty else { return [:] }
        do throws(StoreError) {
            return Dictionary(
                uniqueKeysWithValues: try await intake.accepted(captures).map { capture, row in
                    (
                        capture,
                        JobStatus(
                            id: capture, device: row.device, state: .queued, attempts: 0, reason: nil, fault: nil,
                            receivedAt: row.receivedAt, claimedAt: nil, settledAt: nil, nextAttemptAt: nil, timings: nil
                        )
                    )
                })
        } catch {
            throw .unavailable(error)
        }
    }

    private func results(_ captures: [CaptureID]) async throws(APIError) -> [CaptureID: ProvenanceResult] {
        do throws(StoreError) { return try await store.results(of: captures) } catch { throw .unavailable(error) }
    }
}

extension APIError {
    /// The one answer for captures that are unknown and for those that are others'.
    static let captureNotFound = APIError(.captureNotFound, "there is no such capture")

    /// Reads the capture's id in a path.
    static func captureID(_ text: String?) throws(APIError) -> CaptureID {
        guard let id = text.flatMap({ CaptureID($0) }) else { throw .captureNotFound }
        return id
    }
}
