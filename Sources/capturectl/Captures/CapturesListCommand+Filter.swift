import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore

/// What the options ask for, in two parts: the record's, and what only the queue knows.
extension CapturesListCommand {
    /// The part that the record answers.
    /// - Throws: `ValidationError` if no capture can be all that is asked for: an empty list would look like an answer.
    func filter() throws -> CaptureFilter {
        var filter = CaptureFilter()
        guard !state.contains(.failed) else {
            throw ValidationError("--state: failed captures are dead letters: capturectl dead list")
        }
        if !state.isEmpty {
            filter.verdicts = Set(state.compactMap { Verdict(rawValue: $0.rawValue) })
            filter.includesOpen = !wanted.isSubset(of: [.verified, .rejected])
        }
        if isOfPutOff {
            _ = try reasonsOfDelay()
        } else {
            filter.reasons = try reason.map(Self.reasonOfRejection)
        }
        if let confidence {
            guard let level = Confidence(rawValue: confidence.lowercased()), level != .none else {
                throw ValidationError("--confidence takes high, medium or low")
            }
            filter.confidence = level
        }
        filter.device = device
        filter.from = since
        filter.before = until
        try Self.refuseContradiction(filter)
        return filter
    }

    /// Whether a capture that the record lists is in a state, and put off for a reason, that is asked for.
    func passes() throws -> @Sendable (ListedCapture) -> Bool {
        let wanted = self.wanted
        let reasons = try isOfPutOff ? reasonsOfDelay() : []
        return { capture in
            wanted.contains(capture.state)
                && (reasons.isEmpty || capture.reason.map { reasons.contains($0) } ?? false)
        }
    }

    /// The states asked for; all of them if none is named.
    private var wanted: Set<CaptureState> {
        state.isEmpty ? Set(CaptureState.allCases) : Set(state.flatMap(\.states))
    }

    /// Whether only some of the captures without a result are asked for: the queue alone knows which these are.
    var isOfSomeOpen: Bool {
        let open = Set(State.open.states)
        return !wanted.isDisjoint(with: open) && !wanted.isSuperset(of: open)
    }

    /// Whether only captures are asked for that are put off: of these the queue alone knows the reasons.
    private var isOfPutOff: Bool { wanted == [.retrying] }

    private static func refuseContradiction(_ filter: CaptureFilter) throws {
        switch filter.contradiction {
        case nil: return
        case .times: throw ValidationError("--until has to be later than --since")
        case .reason, .confidence:
            throw ValidationError(
                """
                no capture can be all of that: --reason is of rejected ones, or with --state retrying alone of those \
                put off; --confidence is of verified ones, and open ones have none
                """)
        }
    }

    /// A reason for which a result is rejected.
    private static func reasonOfRejection(_ text: String) throws -> Reason {
        let reason = try knownReason(text)
        let code = reason.rawValue
        guard !Reason.ofDeadLetters.contains(reason) else {
            throw ValidationError(
                """
                --reason: no capture is rejected for \(code); for those put off: capturectl captures list \
                --state retrying --reason \(code); for dead letters: capturectl dead list --reason \(code)
                """)
        }
        guard CaptureFilter.reasonsFound.contains(reason) else {
            throw ValidationError("--reason: no capture is rejected for \(code)")
        }
        return reason
    }

    /// The reasons for which captures are put off: those for which they would be given up in the end.
    private func reasonsOfDelay() throws -> [Reason] {
        try reason.map { text in
            let reason = try Self.knownReason(text)
            guard Reason.ofDeadLetters.contains(reason) else {
                let codes = Reason.ofDeadLetters.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--reason: no capture is put off for \(reason.rawValue); with retrying: \(codes)")
            }
            return reason
        }
    }

    private static func knownReason(_ text: String) throws -> Reason {
        guard let reason = Reason(rawValue: text.uppercased()) else {
            throw ValidationError("--reason: '\(text)' is no reason code")
        }
        return reason
    }
}
