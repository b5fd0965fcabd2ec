import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore

/// What a list of captures is asked for, read from a query.
struct ListingQuery: Sendable, Equatable {
    /// The reasons that a list can be asked for: those of rejected captures and of dead letters.
    static let reasons = CaptureFilter.reasonsFound + Reason.ofDeadLetters

    /// What a list may be asked for.
    enum Parameter: String, CaseIterable, Sendable {
        case status
        /// The older name of ``status``, which the dashboard's addresses use.
        case state
        case reason, confidence, device, from, to, after, limit
    }

    /// Only in this state.
    var state: CaptureState?
    /// Only rejected, failed or put off for this reason.
    var reason: Reason?
    /// Only of this device.
    var device: DeviceID?
    /// Only with this confidence.
    var confidence: Confidence?
    /// Only received at this moment or later.
    var from: Timestamp?
    /// Only received before this moment.
    var to: Timestamp?
    /// Where the page before this one ended.
    var after: String?
    /// How many the page has.
    var limit = PageLimit.unsaid

    /// Starts with all captures.
    init() {}

    /// Reads the parameters of the API's list, which refuses a time without a zone.
    init(strict fields: FormFields) throws(APIError) {
        try self.init(fields) { Timestamp(rfc3339: $0) }
    }

    /// Reads the parameters of a page, whose inputs send times without a zone.
    init(_ fields: FormFields) throws(APIError) {
        try self.init(fields, moment: Self.local)
    }

    /// Reads the parameters; a value that means nothing is named.
    private init(_ fields: FormFields, moment: (String) -> Timestamp?) throws(APIError) {
        let isOlder = fields[Parameter.status.rawValue] == nil
        guard isOlder || fields[Parameter.state.rawValue] == nil else {
            throw .invalid("state", "is the older name of status: only one of the two is accepted")
        }
        state = try Self.read(fields, isOlder ? .state : .status, CaptureState.allCases.map(\.rawValue)) {
            CaptureState(word: $0)
        }
        reason = try Self.read(fields, .reason, Self.reasons.map(\.rawValue)) { word in
            Reason(word: word).flatMap { Self.reasons.contains($0) ? $0 : nil }
        }
        confidence = try Self.read(fields, .confidence, Confidence.allCases.map(\.rawValue)) { Confidence(word: $0) }
        device = try Self.read(fields, .device, ["a device's whole id"]) { DeviceID($0) }
        from = try Self.read(fields, .from, [Self.momentsRead], moment)
        to = try Self.read(fields, .to, [Self.momentsRead], moment)
        limit =
            try Self.read(fields, .limit, ["1 to \(PageLimit.itemsMax)"]) {
                Int($0).flatMap { (1...PageLimit.itemsMax).contains($0) ? $0 : nil }
            } ?? limit
        after = fields[Parameter.after.rawValue]
        try refuseContradiction()
    }

    /// Refuses what no capture can be: an empty list would look like an answer.
    private func refuseContradiction() throws(APIError) {
        switch contradiction {
        case nil: return
        case .times: throw .invalid("to", "must be later than from")
        case .reason:
            let owners: [CaptureState] = hasReasonOfDeadLetters ? [.failed, .retrying] : [.rejected]
            // Asked for no other state, it is the confidence that they do not have.
            let other = state.flatMap { owners.contains($0) ? nil : $0 }
            throw .invalid("reason", Self.refusal(owners, other.map(Self.asked) ?? "their confidence is none"))
        case .confidence:
            let owner: CaptureState = confidence == Confidence.none ? .rejected : .verified
            let excluding = state.map(Self.asked) ?? "the reason is one of failed ones"
            throw .invalid("confidence", Self.refusal([owner], excluding))
        }
    }

    /// That a value is of other captures than the rest of the query; the name of its field comes before it.
    private static func refusal(_ owners: [CaptureState], _ excluding: String) -> String {
        "is one of \(owners.map(\.rawValue).joined(separator: " or ")) captures only, and \(excluding)"
    }

    private static func asked(for state: CaptureState) -> String { "\(state.rawValue) ones are asked for" }

    /// What keeps every capture from the list.
    private var contradiction: CaptureFilter.Contradiction? {
        let found = filter.contradiction
        guard isOfDeadLetters, found != .times else { return found }
        // The archive's filter knows no dead letters.
        if reason != nil, !hasReasonOfDeadLetters { return .reason }
        return confidence == nil ? nil : .confidence
    }

    /// Whether dead letters are asked for: by their state, or by a reason that nothing else has.
    var isOfDeadLetters: Bool {
        state.map { $0 == .failed } ?? hasReasonOfDeadLetters
    }

    /// Whether one state of captures that wait is asked for.
    var isOfWaiting: Bool { state.map { [.queued, .processing, .retrying].contains($0) } ?? false }

    /// Whether captures are asked for that are put off for the reason for which they would be given up.
    private var isOfPutOff: Bool { state == .retrying && hasReasonOfDeadLetters }

    /// Whether a capture that waits is in the state, and put off for the reason, that is asked for.
    func passes(_ capture: ListedCapture) -> Bool {
        capture.state == state && (reason.map { $0 == capture.reason } ?? true)
    }

    private var hasReasonOfDeadLetters: Bool { reason.map { Reason.ofDeadLetters.contains($0) } ?? false }

    /// What times are, in words: sent as it is, the + of a zone has become a blank.
    static let momentsRead = "an RFC 3339 time, and a + in it is written %2B"

    /// A time as RFC 3339 has it, or as a browser's input sends it, which is then UTC.
    static func local(_ text: String) -> Timestamp? {
        Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "Z") ?? Timestamp(rfc3339: text + ":00Z")
            ?? Timestamp(rfc3339: text + "T00:00:00Z")
    }

    private static func read<Value>(
        _ fields: FormFields, _ parameter: Parameter, _ allowed: [String], _ parse: (String) -> Value?
    ) throws(APIError) -> Value? {
        guard let text = fields[parameter.rawValue] else { return nil }
        guard let value = parse(text) else {
            throw .invalid(parameter.rawValue, "must be \(allowed.joined(separator: ", "))")
        }
        return value
    }

    /// The fields of the query, without its place.
    var fields: [(name: String, value: String)] {
        let all: [(Parameter, String?)] = [
            (.state, state?.rawValue), (.reason, reason?.rawValue), (.device, device?.description),
            (.confidence, confidence?.rawValue), (.from, from?.rfc3339), (.to, to?.rfc3339),
            (.limit, limit == PageLimit.unsaid ? nil : String(limit)),
        ]
        return all.compactMap { parameter, value in value.map { (parameter.rawValue, $0) } }
    }

    /// The part of the query that the archive answers.
    var filter: CaptureFilter {
        var filter = CaptureFilter()
        switch state {
        case nil: break
        case .verified:
            filter.verdicts = [.verified]
            filter.includesOpen = false
        case .rejected:
            filter.verdicts = [.rejected]
            filter.includesOpen = false
        case .queued, .processing, .retrying, .failed: filter.verdicts = []
        }
        // Of captures that wait the queue alone knows why they are put off.
        filter.reasons = isOfPutOff ? [] : reason.map { [$0] } ?? []
        filter.device = device
        filter.confidence = confidence
        filter.from = from
        filter.before = to
        return filter
    }
}
