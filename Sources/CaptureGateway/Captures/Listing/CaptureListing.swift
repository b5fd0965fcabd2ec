import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore

/// Lists captures page by page: the record has the settled ones, the ledger and the queue the others.
struct CaptureListing: Sendable {
    /// A page and where the next one begins.
    struct Page: Sendable, Equatable {
        var captures: [ListedCapture]
        /// `nil` on the last page.
        var next: String?
    }

    /// How many dead letters are asked for at once.
    private static let lookedAtOnce = 200
    /// The prefix of dead letters' places, which tells them from the places of other lists.
    private static let letterMark = "d"

    let archive: any CaptureArchive
    let queue: any DeadLetterQueue
    let store: any CaptureStore

    /// The page that a query asks for.
    ///
    /// If the query asks for one state of waiting captures, and ``ListedPage/looksMax`` are looked at before the page is
    /// full, it is shorter than asked and still has a next one.
    /// - Parameter reasons: Several reasons in place of the query's own.
    func page(_ query: ListingQuery, reasons: [Reason]? = nil) async throws(APIError) -> Page {
        // Several reasons are always those of rejected captures, which no dead letter has.
        if reasons == nil, query.isOfDeadLetters { return try await deadLetters(query) }
        var position: CapturePosition?
        if let after = query.after {
            guard let read = CapturePosition(after) else { throw .invalid("after", "must be the `next` of a page") }
            position = read
        }
        var filter = query.filter
        if let reasons { filter.reasons = reasons }
        let found = try await rows(query, filter, after: position)
        return Page(
            captures: found.captures.filter { capture in query.state.map { $0 == capture.state } ?? true },
            next: found.next?.description)
    }

    private func rows(
        _ query: ListingQuery, _ filter: CaptureFilter, after position: CapturePosition?
    ) async throws(APIError) -> ListedPage {
        do throws(ServerFault) {
            guard query.isOfWaiting else {
                return try await ListedPage.read(
                    filter, after: position, limit: query.limit, from: archive, store: store, queue: queue)
            }
            return try await ListedPage.read(
                filter, after: position, limit: query.limit, from: archive, store: store, queue: queue
            ) { query.passes($0) }
        } catch {
            throw .unavailable(error)
        }
    }

    /// Dead letters, oldest first.
    private func deadLetters(_ query: ListingQuery) async throws(APIError) -> Page {
        var position: DeadLetter.Position?
        if let after = query.after {
            guard after.hasPrefix(Self.letterMark), let read = DeadLetter.Position(String(after.dropFirst())) else {
                throw .invalid("after", "must be the `next` of a page")
            }
            position = read
        }
        var captures: [ListedCapture] = []
        // The place of the last letter of a full page. Whether more follow is found out below.
        var end: DeadLetter.Position?
        var looked = 0
        while looked < DeadLetterSurvey.lettersMax {
            let page = try await askingQueue { () async throws(QueueError) in
                try await queue.deadLetters(after: position, limit: Self.lookedAtOnce)
            }
            for letter in page.letters where Self.passes(letter.status, query) {
                if let end { return Page(captures: captures, next: Self.letterMark + end.description) }
                captures.append(ListedCapture(letter.status))
                if captures.count == query.limit { end = letter.position }
            }
            position = page.next
            if position == nil { return Page(captures: captures, next: nil) }
            looked += Self.lookedAtOnce
        }
        return Page(captures: captures, next: position.map { Self.letterMark + $0.description })
    }

    private static func passes(_ status: JobStatus, _ query: ListingQuery) -> Bool {
        (query.reason.map { $0 == status.reason } ?? true) && (query.device.map { $0 == status.device } ?? true)
            && (query.from.map { $0 <= status.receivedAt } ?? true) && (query.to.map { status.receivedAt < $0 } ?? true)
    }
}
