import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Logging

/// Finds out where captures stand: by the record alone where it has a result, and by the queue where it has none.
///
/// A capture that neither of them knows, but the ledger has accepted, is queued.
struct CaptureLookup: Sendable {
    private let queue: any ReadableQueue
    private let store: any CaptureStore
    private let intake: (any IntakeLedger)?
    private let outages: Outages
    private let logger: Logger

    init(_ dependencies: GatewayDependencies) {
        queue = dependencies.queue
        store = dependencies.store
        intake = dependencies.intake
        outages = dependencies.outages
        logger = dependencies.logger
    }

    /// Where a capture stands, and the result that says so, where there is one.
    struct Standing: Sendable {
        let status: StatusDocument
        let result: ProvenanceResult?
    }

    /// What was found out about a capture.
    private enum Finding {
        case standing(Standing)
        /// The queue says that it has a result, and the record has none.
        case resultLost
        /// It is unknown, or not the reader's to see.
        case nothing
    }

    /// Where captures stand, in the order asked, without those that are unknown or not the reader's to see.
    ///
    /// Those whose result is lost are left out as well: nobody can say of them that they are settled, nor that they wait.
    /// The log names them.
    func statuses(of captures: [CaptureID], for reader: Reader) async throws(APIError) -> [StatusDocument] {
        let found = try await findings(on: captures, for: reader)
        return zip(captures, found).compactMap { capture, finding in
            switch finding {
            case .standing(let standing): return standing.status
            case .resultLost:
                outages.lostResults.note(capture, logger)
                return nil
            case .nothing: return nil
            }
        }
    }

    /// Where one capture stands, with its result; `nil` when it is unknown or not the reader's to see.
    ///
    /// - Throws: `UNAVAILABLE`, too, when its result is lost.
    func standing(of capture: CaptureID, for reader: Reader) async throws(APIError) -> Standing? {
        switch try await findings(on: [capture], for: reader).first {
        case .standing(let standing): return standing
        case .resultLost: throw .unavailable(because: .resultLost(capture))
        case .nothing, nil: return nil
        }
    }

    /// Where one capture stands.
    ///
    /// - Throws: `CAPTURE_NOT_FOUND` when it is unknown or not the reader's to see: nobody learns which.
    func status(of capture: CaptureID, for reader: Reader) async throws(APIError) -> StatusDocument {
        guard let standing = try await standing(of: capture, for: reader) else { throw .captureNotFound }
        return standing.status
    }

    /// Asks the queue first: what it calls settled has its result in the record by then.
    private func findings(on captures: [CaptureID], for reader: Reader) async throws(APIError) -> [Finding] {
        let jobs: [JobStatus?]
        do throws(QueueError) {
            jobs = try await queued(captures, for: reader)
        } catch {
            return try await recorded(captures, for: reader, without: .unavailable(error))
        }
        outages.answered(.redis)
        var wanted: [CaptureID] = []
        for (capture, job) in zip(captures, jobs) where Self.mayHaveResult(job, for: reader) { wanted.append(capture) }
        var results = try await results(wanted, jobs: jobs, for: reader)
        let forgotten = zip(captures, jobs).filter { $1 == nil && results[$0] == nil }.map(\.0)
        let accepted = try await accepted(forgotten)
        // A row is closed when its capture gets a result: one without a row may have got its result since the first
        // question.
        let rowless = forgotten.filter { accepted[$0] == nil }
        if intake != nil { results.merge(try await self.results(rowless, jobs: [], for: reader)) { $1 } }
        return zip(captures, jobs).map { capture, job in
            // A result overrides the queue, for dead letters as well: their bytes may have been lost while a worker
            // that had read them was writing the result. If another device's capture was handed off later under the
            // same id, the result is only its own device's to see, and that capture only the other's.
            if let result = results[capture], reader.maySee(result) { return .standing(Standing(result)) }
            guard let job = job ?? accepted[capture], reader.maySee(capturesOf: job.device) else { return .nothing }
            // The record has it before the queue is told: it has gone back in time, or somebody has written to Redis.
            guard !job.state.isSettled else { return .resultLost }
            return .standing(Standing(status: StatusDocument(job, for: reader), result: nil))
        }
    }

    /// Where captures stand as the queue has it.
    ///
    /// A device sees no job but its own, and those are in its partition: its phone asks again and again.
    private func queued(_ captures: [CaptureID], for reader: Reader) async throws(QueueError) -> [JobStatus?] {
        guard case .device(let own, _) = reader else { return try await queue.status(of: captures) }
        return try await queue.status(of: captures, from: own)
    }

    /// Where captures stand while the queue cannot tell.
    ///
    /// - Throws: The queue's failure, unless all of them have a result that the reader may see: of the others only the
    ///   queue could tell where they stand.
    private func recorded(
        _ captures: [CaptureID], for reader: Reader, without failure: APIError
    ) async throws(APIError) -> [Finding] {
        let results: [CaptureID: ProvenanceResult]
        do throws(StoreError) { results = try await store.results(of: captures) } catch { throw failure }
        let seen = captures.compactMap { results[$0] }.filter { reader.maySee($0) }
        guard seen.count == captures.count else { throw failure }
        // Nobody else may tell of an outage: what was asked for is answered. A refusal that does not pass, or a damaged
        // key, is logged with the requests that fail for it.
        let isFault = if case .fault? = failure.cause { true } else { false }
        if failure.code == .unavailable, !isFault { outages.log(failure, logger) }
        return seen.map { .standing(Standing($0)) }
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

extension CaptureLookup.Standing {
    /// By a result alone.
    fileprivate init(_ result: ProvenanceResult) {
        self.init(status: StatusDocument(result), result: result)
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
