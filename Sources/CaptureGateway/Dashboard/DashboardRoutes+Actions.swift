import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Hummingbird

/// What operators do at the dashboard; each action is noted in the audit before it is done.
extension DashboardRoutes {
    func actOnQueue(_ form: FormFields, _ user: DashboardUser) async throws(APIError) -> Response {
        guard let change = form["action"].flatMap(QueueSwitch.init(word:)) else {
            throw APIError.invalid("action", "must be pause or resume")
        }
        do throws(QueueSwitchFault) {
            _ = try await operators.actions.tellQueue(to: change, by: user.actor)
        } catch {
            let failure = APIError.unavailable(error.fault)
            guard error.isAuditAhead else { throw failure }
            throw APIError(
                failure.code, "\(failure.message); \(change.auditDoubt)", retryAfter: failure.retryAfter,
                cause: failure.cause)
        }
        return PageAnswer.redirect(to: Page.overview.address)
    }

    /// Does what a form asks for dead letters; see ``LetterAction``.
    ///
    /// Letters are shown before they are discarded, or put back as a group or all at once, unless the form says that it
    /// was `confirmed`.
    func actOnDead(
        _ form: FormFields, _ user: DashboardUser, _ context: GatewayContext
    ) async throws(APIError) -> Response {
        let action = try LetterAction(form["action"])
        let (letters, missing) = try await letters(form, action.scope)
        if action.asksFirst, !letters.isEmpty, form["confirmed"] != "1" {
            let page = LetterQuestionPage(
                verb: action.verb, letters: letters, origin: Self.origin(of: form),
                fields: Self.fields(form, action.scope, letters))
            return PageAnswer.html(page.markup(await queueShell(of: user, on: .dead, context)))
        }
        let (outcome, fault) = await operators.actions.act(
            action.verb, on: letters, by: user.actor, together: QueueActions.discardedTogether)
        let interruption = Interruption(outcome, of: letters.count, action.verb)
        if let fault, !interruption.isNone { throw interruption.error(of: .unavailable(fault)) }
        // If nothing was left to do, the fault was one of the audit's closing note.
        let notice = Notice(
            verb: action.verb == .redrive ? .redriven : .discarded, count: outcome.done,
            missing: missing + outcome.missing.count, isAuditAhead: outcome.isAuditAhead)
        let origin = Self.origin(of: form)
        return PageAnswer.redirect(to: "\(origin)\(origin.contains("?") ? "&" : "?")\(notice.query(for: user))")
    }

    /// The page that a form on dead letters is on: the page of its only letter's capture, or that of all in its order.
    private static func origin(of form: FormFields) -> String {
        if form["back"] == Page.capture.rawValue, let place = form["letter"].flatMap({ DeadLetter.Position($0) }) {
            return Page.capture.address(place.capture)
        }
        return form[DeadPage.orderField] == DeadPage.Order.newest.rawValue
            ? DeadPage.address(.newest) : Page.dead.address
    }

    /// The fields of a form that means these letters again, and no others.
    private static func fields(
        _ form: FormFields, _ scope: LetterAction.Scope, _ letters: [DeadLetter]
    ) -> [(name: String, value: String)] {
        let names = ["action", DeadPage.orderField] + (scope == .chosen ? ["back"] : ["group", "after", "until"])
        let said = names.compactMap { name in form[name].map { (name: name, value: $0) } }
        let chosen = scope == .chosen ? letters : []
        return said + chosen.map { (name: "letter", value: $0.position.description) }
    }

    /// The letters that a form means, and how many others it names that are no dead letters any more.
    ///
    /// A chosen letter is named by its place. A group, and all letters, begin after `after`, if the page did not begin
    /// with the oldest, and end at `until`, the place of the newest letter that the page counted: nobody has decided on
    /// letters that came, or came again, since the page was opened.
    private func letters(
        _ form: FormFields, _ scope: LetterAction.Scope
    ) async throws(APIError) -> (letters: [DeadLetter], missing: Int) {
        let queue = operators.actions.queue
        switch scope {
        case .chosen:
            var letters: [DeadLetter] = []
            let chosen = form.all("letter").compactMap { DeadLetter.Position($0) }.prefix(QueueActions.lettersMax)
            for place in chosen {
                let letter = try await askingOperatedQueue { () async throws(QueueError) in
                    try await queue.deadLetter(place.capture)
                }
                if let letter, letter.position.description == place.description { letters.append(letter) }
            }
            return (letters, chosen.count - letters.count)
        case .group, .all:
            guard let until = form["until"].flatMap({ DeadLetter.Position($0) }) else {
                throw .invalid("until", "must be the place of the newest letter on the page")
            }
            let start = form["after"].flatMap { DeadLetter.Position($0) }
            guard start != nil || form["after"] == nil else {
                throw .invalid("after", "must be the place before the oldest letter on the page")
            }
            let survey = try await askingOperatedQueue { () async throws(QueueError) in
                try await DeadLetterSurvey.take(of: queue, after: start)
            }
            let group = survey.groups.first { $0.name == form["group"] }
            let letters = (scope == .all ? survey.letters : group?.letters ?? []).filter { $0.position <= until }
            guard !letters.isEmpty else {
                throw APIError(.notFound, "nothing was done: none of these dead letters is there any more")
            }
            return (letters, 0)
        }
    }

    func revoke(
        _ form: FormFields, _ user: DashboardUser, _ context: GatewayContext
    ) async throws(APIError) -> Response {
        let (device, actions) = (try deviceID(context), try dependencies.requireDeviceActions())
        guard let reason = RevocationReason(form["reason"] ?? "") else {
            throw APIError.invalid("reason", "must be \(RevocationReason.rule)")
        }
        let (now, store) = (dependencies.now(), dependencies.store)
        guard let moment = try Self.start(form, notAfter: now) else { throw Self.startIsAhead }
        let before = try await askingStore { () async throws(StoreError) in try await store.record(of: device) }
        guard let before else { throw APIError(.notFound, "there is no such device") }
        let isCompromised = form["compromised"] != nil
        let noted = try await askingStore { () async throws(StoreError) -> NotedCompromise? in
            if isCompromised {
                return try await actions.compromise(device, since: moment, reason: reason, by: user.actor)
            }
            return try await actions.revoke(device, from: moment, reason: reason, by: user.actor)
                ? NotedCompromise(affected: 0) : nil
        }
        guard let noted else { throw APIError(.notFound, "there is no such device") }
        var notice = Self.notice(of: noted, isCompromised: isCompromised)
        if await isEnded(asIn: before) { notice = Notice(verb: .unchanged, count: 1) }
        return PageAnswer.redirect(to: "\(Page.device.address(device))?\(notice.query(for: user))")
    }

    /// What is said of a device that was ended.
    private static func notice(of noted: NotedCompromise, isCompromised: Bool) -> Notice {
        guard isCompromised else { return Notice(verb: .revoked, count: 1) }
        return noted.affected.map { Notice(verb: .compromised, count: $0) } ?? Notice(verb: .uncounted, count: 1)
    }

    /// The moment from which a revocation counts; `nil` if the form names none.
    static func start(_ fields: FormFields, notAfter now: Timestamp) throws(APIError) -> Timestamp? {
        let moment = try ListingQuery(fields.only("from")).from
        if let moment, moment > now { throw startIsAhead }
        return moment
    }

    private static let startIsAhead = APIError.invalid("from", "must be a time that is not ahead")

    /// Whether a device's revocation is what it was before; `false` if the record cannot be asked.
    private func isEnded(asIn before: DeviceRecord) async -> Bool {
        do throws(StoreError) {
            let device = before.registration.device
            guard let after = try await dependencies.store.record(of: device.id) else { return false }
            return after.registration.device.revokedAt == device.revokedAt
                && after.revokedReason == before.revokedReason && after.revokedBy == before.revokedBy
                && after.compromise == before.compromise
        } catch {
            return false
        }
    }
}
