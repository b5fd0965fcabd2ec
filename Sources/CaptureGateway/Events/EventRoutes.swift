import CaptureModel
import HTTPTypes
import Hummingbird
import Synchronization

/// `GET /api/v1/events` and `GET /api/v1/captures/{id}/events`: news as they come.
struct EventRoutes: Sendable {
    /// Changes that one event carries at the most.
    private static let changesMax = 500

    let feed: ChangeFeed
    let lookup: CaptureLookup
    let access: AccessControl

    func add(to router: Router<GatewayContext>) {
        router.route(.events, use: all)
        router.route(.captureEvents, use: one)
    }

    /// The changes of all captures, for holders of tokens and people who have logged in.
    ///
    /// A reader that comes back with `Last-Event-ID` gets what it has missed, as long as this gateway has it. Otherwise it
    /// gets the event `gap`, and has to read everything again.
    func all(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireTokenOrSession(of: request, context)
        let start = StreamStart(after: request.lastEventID, in: feed)
        let place = Mutex(start.place)
        let stream = EventStream(feed: feed, reader: .readToken, callerHasGone: context.callerHasGone())
        return try stream.respond(first: start.first) { [access] in
            try await access.require(.readToken, of: request)
        } look: { [feed] in
            var items: [EventStream.Item] = []
            while true {
                let last = place.withLock { $0 }
                switch feed.text(after: last, limit: Self.changesMax) {
                case .gap(let next):
                    place.withLock { $0 = next }
                    items.append(.event(name: "gap", id: feed.eventID(next), data: "{}"))
                case .changes(let text, let next):
                    guard next > last else { return .init(items: items) }
                    place.withLock { $0 = next }
                    let data = #"{"changes":[\#(text)]}"#
                    items.append(.event(name: "changes", id: feed.eventID(next), data: data))
                    // Changes that come meanwhile are for the next look: one answer stays bounded.
                    if next - last < Self.changesMax { return .init(items: items) }
                    if items.count >= 8 { return .init(items: items, hasMore: true) }
                }
            }
        }
    }

    /// The states of one capture, for whoever may read it; the stream ends with its result, or when it is discarded.
    ///
    /// Each event has the whole status, and its id is the status's tag: a reader that comes back gets the present
    /// status unless it has that one. A reader that has the last one is answered with 204, which tells a browser not to
    /// come back (WHATWG HTML, 9.2).
    func one(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let capture = try APIError.captureID(context.parameters.get("id"))
        let reader = try await reader(of: request, context)
        // Whether it may be seen is decided before the stream begins.
        let present = try await lookup.status(of: capture, for: reader)
        let last = request.lastEventID ?? ""
        // Not so of a dead letter, which may be redriven.
        if present.state.isSettled, try present.entityTag.eventID == last {
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
        let known = Mutex(last)
        let stream = EventStream(feed: feed, reader: reader, callerHasGone: context.callerHasGone())
        let looks = StatusLooks(at: capture, feed: feed, interval: stream.wakeInterval)
        return try stream.respond(first: []) { [access] in
            try await access.require(reader, of: request)
        } look: { [lookup] in
            guard looks.isDue() else { return .init() }
            let status: StatusDocument
            do throws(APIError) {
                status = try await lookup.status(of: capture, for: reader)
            } catch {
                // A dead letter that is discarded is no capture any more.
                guard error.code == .captureNotFound else { throw error }
                return .init(isLast: true)
            }
            let id = try status.entityTag.eventID
            var news = EventStream.Look(isLast: status.state.isSettled)
            if known.withLock({ $0 }) != id {
                known.withLock { $0 = id }
                news.items = [.event(name: "status", id: id, data: try AnswerJSON.line(status))]
            }
            return news
        }
    }

    private func reader(of request: Request, _ context: GatewayContext) async throws(APIError) -> Reader {
        if try await access.hasSession(request) { return .readToken }
        return try await access.reader(of: request, context)
    }
}

extension Request {
    /// The last event that a stream's reader has.
    ///
    /// Where both are there the field is the newer one: a browser that comes back asks for the same address again.
    fileprivate var lastEventID: String? {
        headers[.lastEventID] ?? FormFields(uri.query ?? "")[Operation.lastEventIDParameter]
    }
}
