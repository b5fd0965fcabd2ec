import CaptureModel
import CaptureQueue
import CaptureStore

/// One line of a list of captures.
struct ListedCapture: Sendable, Equatable {
    let id: CaptureID
    let device: DeviceID
    let receivedAt: Timestamp
    let state: CaptureState
    /// Why it was rejected or given up.
    let reason: Reason?
    let fault: String?
    let attempts: Int
    /// Whether an operator had taken it back from the dead letters.
    let redriven: Bool
    /// What the record says of one that is settled.
    let result: ArchivedCapture.Result?
}

/// Lists captures page by page: the record has the settled ones, the ledger and the queue the others.
struct CaptureListing: Sendable {
    /// A page and where the next one begins.
    struct Page: Sendable, Equatable {
        var captures: [ListedCapture]
        /// `nil` on the last page.
        var next: String?
    }

    /// How many dead letters are looked at for one page of them.
    private static let lettersMax = 2000
    private static let lettersPerPage = 200

    let archive: any CaptureArchive
    let queue: any CaptureQueue

    /// The page that a query asks for; with a state of captures that wait it may be shorter than asked and still have a
    /// next one.
    /// - Parameter reasons: Several reasons in place of the query's own.
    func page(_ query: ListingQuery, reasons: [Reason]? = nil) async throws(APIError) -> Page {
        if Self.isOfDeadLetters(query, reasons) { return try await deadLetters(query) }
        var position: CapturePosition?
        if let after = query.after {
            guard let read = CapturePosition(after) else { throw .invalid("after", "must be the `next` of a page") }
            position = read
        }
        var filter = query.filter
        if let reasons { filter.reasons = reasons }
        let rows = try await stored { () async throws(StoreError) -> [ArchivedCapture] in
            try await archive.list(filter, after: position, limit: query.limit)
        }
        let states = try await states(of: rows)
        let captures = rows.map { Self.listed($0, states[$0.id]) }
        return Page(
            captures: captures.filter { capture in query.state.map { $0 == capture.state } ?? true },
            next: rows.count == query.limit ? rows.last?.position.description : nil)
    }

    /// Whether dead letters are asked for: by their state, or by a reason that nothing else has.
    private static func isOfDeadLetters(_ query: ListingQuery, _ reasons: [Reason]?) -> Bool {
        if let state = query.state { return state == .failed }
        guard reasons == nil, let reason = query.reason else { return false }
        return Reason.ofDeadLetters.contains(reason)
    }

    private func states(of rows: [ArchivedCapture]) async throws(APIError) -> [CaptureID: JobStatus] {
        let open = rows.filter { $0.result == nil }.map(\.id)
        guard !open.isEmpty else { return [:] }
        do throws(QueueError) {
            let found = try await queue.status(of: open)
            return Dictionary(found.compactMap { $0 }.map { ($0.id, $0) }) { first, _ in first }
        } catch {
            throw .unavailable(error)
        }
    }

    private static func listed(_ row: ArchivedCapture, _ status: JobStatus?) -> ListedCapture {
        if let result = row.result {
            return ListedCapture(
                id: row.id, device: row.device, receivedAt: row.receivedAt, state: CaptureState(result.verdict),
                reason: result.reason, fault: nil, attempts: result.attempts, redriven: result.redriven, result: result)
        }
        // What the ledger has open and the queue does not know is queued: the queue gets it back.
        return ListedCapture(
            id: row.id, device: row.device, receivedAt: row.receivedAt, state: status?.state ?? .queued,
            reason: status?.reason, fault: status?.fault, attempts: status?.attempts ?? 0,
            redriven: status?.redriven ?? false, result: nil)
    }

    /// Dead letters, oldest first.
    private func deadLetters(_ query: ListingQuery) async throws(APIError) -> Page {
        var position: DeadLetter.Position?
        if let after = query.after {
            guard let read = DeadLetter.Position(after) else { throw .invalid("after", "must be the `next` of a page") }
            position = read
        }
        var captures: [ListedCapture] = []
        var looked = 0
        while looked < Self.lettersMax {
            let page: DeadLetterPage
            do { page = try await queue.deadLetters(after: position, limit: Self.lettersPerPage) } catch {
                throw .unavailable(error)
            }
            for letter in page.letters {
                if Self.passes(letter.status, query) { captures.append(Self.listed(letter.status)) }
                if captures.count == query.limit {
                    return Page(captures: captures, next: letter.position.description)
                }
            }
            position = page.next
            if position == nil { return Page(captures: captures, next: nil) }
            looked += Self.lettersPerPage
        }
        return Page(captures: captures, next: position?.description)
    }

    private static func passes(_ status: JobStatus, _ query: ListingQuery) -> Bool {
        (query.reason.map { $0 == status.reason } ?? true) && (query.device.map { $0 == status.device } ?? true)
            && (query.from.map { $0 <= status.receivedAt } ?? true) && (query.to.map { status.receivedAt < $0 } ?? true)
            && query.confidence == nil
    }

    private static func listed(_ status: JobStatus) -> ListedCapture {
        ListedCapture(
            id: status.id, device: status.device, receivedAt: status.receivedAt, state: status.state,
            reason: status.reason, fault: status.fault, attempts: status.attempts, redriven: status.redriven,
            result: nil)
    }
}
