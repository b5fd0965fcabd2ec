import CaptureModel
import HTTPTypes
import Hummingbird

/// `GET /api/v1/captures/{id}`: where a capture stands, at once or when there is news.
struct StatusRoute: Sendable {
    private let waitMax: Duration
    private let now: TimeSource
    private let lookup: CaptureLookup
    private let watch: StatusWatch
    private let access: AccessControl

    init(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, lookup: CaptureLookup,
        access: AccessControl
    ) {
        self.waitMax = configuration.reading.waitMax
        self.now = dependencies.now
        self.lookup = lookup
        self.watch = StatusWatch(changes: dependencies.changes)
        self.access = access
    }

    /// Answers with the status, or with 304 when the caller has it already.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let reader = try await access.reader(of: request, context)
        let wait = try wait(request)
        let capture = try APIError.captureID(context.parameters.get("id"))
        let known = request.headers[.ifNoneMatch]
        let status: StatusDocument
        if wait > .zero {
            status = try await watch.status(
                of: capture, waitingAtMost: wait, orUntil: context.callerHasGone(), noting: context.heldBack
            ) { status throws(APIError) in
                // If the caller knows another version, the present one is news.
                guard let known else { return false }
                return try !status.entityTag.matches(ifNoneMatch: known)
            } read: { () async throws(APIError) in
                try await lookup.status(of: capture, for: reader)
            }
        } else {
            status = try await lookup.status(of: capture, for: reader)
        }
        let tag = try status.entityTag
        let headers = headers(tag, status)
        if let known, tag.matches(ifNoneMatch: known) { return Response(status: .notModified, headers: headers) }
        return try Envelope.success(status, headers: headers, context: context, now: now())
    }

    private func wait(_ request: Request) throws(APIError) -> Duration {
        guard let text = FormFields(request.uri.query ?? "")["wait"] else { return .zero }
        guard let seconds = Int64(text), seconds >= 0, .seconds(seconds) <= waitMax else {
            throw .invalid("wait", "must be 0 to \(waitMax.components.seconds) whole seconds")
        }
        return .seconds(seconds)
    }

    private func headers(_ tag: EntityTag, _ status: StatusDocument) -> HTTPFields {
        var headers = HTTPFields()
        headers[.eTag] = tag.field
        headers[.cacheControl] = "private, no-cache"
        if !status.state.isSettled { headers[.retryAfter] = String(Envelope.wholeSeconds(status.pause(at: now()))) }
        return headers
    }
}
