import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import HTTPTypes
import Hummingbird
import Logging
import ProcessHealth

/// What each page reads.
extension DashboardRoutes {
    func overview(_ shell: Shell, _ context: GatewayContext) async throws(APIError) -> Response {
        var shell = shell
        let queue = operators.actions.queue
        var page = OverviewPage(
            overview: try await askingOperatedQueue { () async throws(QueueError) in try await queue.overview() },
            minutes: try await askingOperatedQueue { () async throws(QueueError) in
                try await queue.tallies(.minute, count: 60)
            },
            hours: try await askingOperatedQueue { () async throws(QueueError) in
                try await queue.tallies(.hour, count: 24)
            })
        // The numbers are the queue's alone, and look calmest while every upload is refused.
        page.isRecordAway = await vitals.servers()[.postgres] == false
        // Known after that look: it probes a directory that was away.
        page.areBundlesAway = vitals.areBundlesAway
        if page.overview.load.isPaused {
            shell.pause = await notedPause(asksAudit: !page.isRecordAway, context)
        }
        return PageAnswer.html(page.markup(shell))
    }

    func captures(_ request: Request, _ shell: Shell) async throws(APIError) -> Response {
        let fields = FormFields(request.uri.query ?? "")
        var missing: CapturesPage.Missing?
        if let text = fields["q"] {
            let wanted = String(text.filter { !$0.isWhitespace })
            if let answer = try await found(wanted, shell) { return answer }
            missing = CapturesPage.Missing(text: text, kind: Self.kind(of: wanted))
        }
        let hasLedger = dependencies.intake != nil
        do throws(APIError) {
            let query = try ListingQuery(fields)
            let page = try await listing.page(query)
            let shown = CapturesPage(query: query, page: page, hasLedger: hasLedger, missing: missing)
            return PageAnswer.html(shown.markup(shell))
        } catch {
            // The form once more, as it was sent: all but one of its filters may be good.
            guard error.code == .validationError else { throw error }
            var shown = CapturesPage(
                query: ListingQuery(), page: CaptureListing.Page(captures: [], next: nil), hasLedger: hasLedger)
            shown.refused = RefusedForm(form: fields, error: error)
            return PageAnswer.html(shown.markup(shell), status: error.code.status)
        }
    }

    func capture(_ context: GatewayContext, _ shell: Shell) async throws(APIError) -> Response {
        let capture = try APIError.captureID(context.parameters.get("id"))
        // Status and result are from one look, and the rest is read by its device: a later look may find another's
        // capture.
        guard let standing = try await lookup.standing(of: capture, for: .readToken) else {
            // The audit names discarded captures for good.
            guard let audit = try await deeds(on: capture) else { throw APIError.captureNotFound }
            return PageAnswer.html(GoneCapturePage(id: capture, audit: audit).markup(shell))
        }
        let (store, archive, device) = (dependencies.store, operators.archive, standing.status.device)
        var letter: DeadLetter?
        if standing.status.state == .failed {
            letter = try await askingOperatedQueue { () async throws(QueueError) in
                try await operators.actions.queue.deadLetter(capture)
            }
        }
        let owner = try await askingStore { () async throws(StoreError) in try await store.device(device) }
        let page = CapturePage(
            status: standing.status, letter: letter, result: standing.result,
            assertion: try await askingStore { () async throws(StoreError) in
                try await archive.assertion(of: capture, from: device)
            },
            algorithm: owner?.algorithm,
            remains: try await pictures.remains(
                of: capture, from: device, letter: letter, reason: standing.status.reason),
            audit: try await askingStore { () async throws(StoreError) in
                try await AuditTrail(of: capture.description, in: store)
            })
        return PageAnswer.html(page.markup(shell))
    }

    /// A photo as it was uploaded; the log names who looked at it, since it may tell a place.
    func photo(_ context: GatewayContext, _ user: DashboardUser) async throws(APIError) -> Response {
        let (capture, device) = try await shown(context)
        let photo = try await pictures.photo(of: capture, from: device)
        context.logger.info("a photo was shown", metadata: ["capture_id": "\(capture)", "actor": "\(user.actor)"])
        return PageAnswer.picture(photo, type: "image/jpeg")
    }

    func depth(_ context: GatewayContext) async throws(APIError) -> Response {
        let (capture, device) = try await shown(context)
        return PageAnswer.picture(try await pictures.depth(of: capture, from: device), type: "image/bmp")
    }

    /// A settled capture's evidence, as a file that can be handed on.
    func evidence(_ context: GatewayContext, _ user: DashboardUser) async throws(APIError) -> Response {
        let capture = try APIError.captureID(context.parameters.get("id"))
        var headers = PageAnswer.headers
        headers[.contentDisposition] = "attachment; filename=\"\(CapturePage.evidenceFile(of: capture))\""
        let answer = EvidenceAnswer(store: dependencies.store, now: dependencies.now, lookup: lookup)
        return try await answer.response(
            on: capture, for: .operatorToken, named: user.actor, headers: headers, context)
    }

    /// The capture that a path names, and the device that the shown one belongs to.
    private func shown(_ context: GatewayContext) async throws(APIError) -> (capture: CaptureID, device: DeviceID) {
        let capture = try APIError.captureID(context.parameters.get("id"))
        return (capture, try await lookup.status(of: capture, for: .readToken).device)
    }

    func rejections(_ shell: Shell) async throws(APIError) -> Response {
        let hours = try await askingQueue { () async throws(QueueError) in
            try await operators.actions.queue.tallies(.hour, count: 48)
        }
        var query = ListingQuery()
        query.state = .rejected
        query.limit = 20
        let page = RejectionsPage(hours: hours, latest: try await listing.page(query))
        return PageAnswer.html(page.markup(shell))
    }

    func replays(_ request: Request, _ shell: Shell) async throws(APIError) -> Response {
        let fields = FormFields(request.uri.query ?? "")
        // First, since other lists take reasons that this one does not.
        if let word = fields["reason"], !ReplaysPage.reasons.contains(where: { $0 == Reason(word: word) }) {
            throw APIError.invalid(
                "reason", "must be \(ReplaysPage.reasons.map(\.rawValue).joined(separator: " or "))")
        }
        let query = try ListingQuery(fields)
        let wanted = ReplaysPage.reasons.filter { query.reason == nil || query.reason == $0 }
        let page = try await listing.page(query, reasons: wanted)
        return PageAnswer.html(ReplaysPage(page: page, query: query).markup(shell))
    }

    func device(_ request: Request, _ context: GatewayContext, _ shell: Shell) async throws(APIError) -> Response {
        let device = try deviceID(context)
        let (store, archive, registry) = (dependencies.store, operators.archive, dependencies.registry)
        let record = try await askingStore { () async throws(StoreError) in try await store.record(of: device) }
        guard let record else { throw APIError(.notFound, "there is no such device") }
        var query = ListingQuery()
        query.device = device
        query.limit = 20
        let beginning = Timestamp(microsecondsSince1970: 0)
        var page = DevicePage(
            record: record,
            receipt: try await askingStore { () async throws(StoreError) in try await registry?.receipt(of: device) },
            attestations: try await askingStore { () async throws(StoreError) in
                try await registry?.attestations(of: device) ?? AttestationHistory([])
            },
            tally: try await askingStore { () async throws(StoreError) in
                try await archive.tally(of: device, from: beginning)
            },
            hasLedger: dependencies.intake != nil, captures: try await listing.page(query),
            audit: try await askingStore { () async throws(StoreError) in
                try await AuditTrail(of: device.description, in: store)
            })
        let fields = FormFields(request.uri.query ?? "")
        if fields["preview"] != nil, shell.user.isOperator {
            do throws(APIError) {
                page.preview = try await preview(of: device, fields, now: shell.now)
            } catch {
                // The form once more, as it was sent: only its moment is refused.
                guard error.code == .validationError else { throw error }
                page.refused = RefusedForm(form: fields, error: error)
                return PageAnswer.html(page.markup(shell), status: error.code.status)
            }
        }
        return PageAnswer.html(page.markup(shell))
    }

    func deviceID(_ context: GatewayContext) throws(APIError) -> DeviceID {
        guard let id = context.parameters.get("id").flatMap({ DeviceID($0) }) else {
            throw APIError(.notFound, "there is no such device")
        }
        return id
    }
}
