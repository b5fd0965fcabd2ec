import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore

/// Finds out where captures stand: the queue tells, and the record tells what became of those that are settled.
///
/// A capture that neither of them knows, but the ledger has accepted, is queued.
struct CaptureLookup: Sendable {
    private let queue: any ReadableQueue
    private let store: any CaptureStore
    private let intake: (any IntakeLedger)?

    init(queue: any ReadableQueue, store: any CaptureStore, intake: (any IntakeLedger)?) {
        self.queue = queue
        self.store = store
        self.intake = intake
    }

    /// Where a capture stands, and the result that says so, where there is one.
    struct Standing: Sendable {
        let status: StatusDocument
        let result: ProvenanceResult?
    }

    /// Where captures stand, in the order asked, without those that are unknown or not the reader's to see.
    func statuses(of captures: [CaptureID], for reader: Reader) async throws(APIError) -> [StatusDocument] {
        try await standings(of: captures, for: reader).map(\.status)
    }

    /// Where captures stand, as ``statuses(of:for:)`` has it, with their results.
    ///
    /// The record is asked only about captures that may have a result.
    func standings(of captures: [CaptureID], for reader: Reader) async throws(APIError) -> [Standing] {
        let jobs = try await jobs(captures)
        var wanted: [CaptureID] = []
        for (capture, job) in zip(captures, jobs) where Self.mayHaveResult(job, for: reader) { wanted.append(capture) }
        var results = try await results(wanted, jobs: jobs, for: reader)
        let forgotten = zip(captures, jobs).filter { $1 == nil && results[$0] == nil }.map(\.0)
        let accepted = try await accepted(forgotten)
        // A row is closed when its capture gets a result: one without a row may have got its result since the first
        // question.
        let rowless = forgotten.filter { accepted[$0] == nil }
        if intake != nil { results.merge(try await self.results(rowless, jobs: [], for: reader)) { $1 } }
        return zip(captures, jobs).compactMap { capture, job in
            // A result overrides the queue, for dead letters as well: their bytes may have been lost while a worker
            // that had read them was writing the result. If another device's capture was handed off later under the
            // same id, the result is only its own device's to see, and that capture only the other's.
            if let result = results[capture], reader.maySee(result) {
                return Standing(status: StatusDocument(result), result: result)
            }
            guard let job = job ?? accepted[capture], reader.maySee(capturesOf: job.device) else { return nil }
            return Standing(status: StatusDocument(job, for: reader), result: nil)
        }
    }

    /// Where one capture stands.
    ///
    /// - Throws: `CAPTURE_NOT_FOUND` when it is unknown or not the reader's to see: nobody learns which.
    func status(of capture: CaptureID, for reader: Reader) async throws(APIError) -> StatusDocument {
        guard let status = try await statuses(of: [capture], for: reader).first else { throw .captureNotFound }
        return status
    }

    /// Whether there may be a result of a capture that the reader may see.
    ///
    /// A hand-off client chooses the capture id and may reuse one whose result the queue has forgotten, so the record
    /// is asked even about a waiting capture. Two cases need no question: a device asking about its own waiting capture
    /// (it may not see another's result), and an id made within 60 s of receipt (the queue forgets no result that
    /// fast). So most waiting captures cost the record nothing, and are shown while it is away.
    private static func mayHaveResult(_ job: JobStatus?, for reader: Reader) -> Bool {
        guard let job, job.state.isWaiting else { return true }
        if case .device(let own, _) = reader { return job.device != own }
        guard let madeAt = job.id.madeAt else { return true }
        let age = job.receivedAt.since(madeAt)
        return age > newIDMax || age < .zero - newIDMax
    }

    /// The longest time between the making of an id and its capture's receipt, allowing for the gateways' clocks.
    ///
    /// The queue remembers settled captures for longer, unless `queue.statusRetention` is next to nothing.
    private static let newIDMax = Duration.seconds(60)

    private func jobs(_ captures: [CaptureID]) async throws(APIError) -> [JobStatus?] {
        try await askingQueue { () async throws(QueueError) in try await queue.status(of: captures) }
    }

    private func accepted(_ captures: [CaptureID]) async throws(APIError) -> [CaptureID: JobStatus] {
        guard let intake, !captures.isEmpty else { return [:] }
        let rows = try await askingStore { () async throws(StoreError) in try await intake.accepted(captures) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { ($0, JobStatus(lost: $0, of: $1.device, receivedAt: $1.receivedAt)) })
    }

    /// The results of captures that have one.
    ///
    /// While the record is away, none is given if the queue has all these captures waiting and the reader may see them.
    private func results(
        _ captures: [CaptureID], jobs: [JobStatus?], for reader: Reader
    ) async throws(APIError) -> [CaptureID: ProvenanceResult] {
        guard !captures.isEmpty else { return [:] }
        do throws(StoreError) {
            return try await store.results(of: captures)
        } catch {
            let waiting = jobs.compactMap(\.self).filter { job in
                job.state.isWaiting && reader.maySee(capturesOf: job.device)
            }
            let isEnough = Set(waiting.map(\.id)).isSuperset(of: captures)
            guard error.isTransient, isEnough else { throw .unavailable(error) }
            return [:]
        }
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
