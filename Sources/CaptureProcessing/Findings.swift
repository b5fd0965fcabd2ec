import CaptureModel

/// Collects the checks of one capture and draws the conclusions from them.
struct Findings {
    private var checks: [Check.Name: Check]

    init(checks: [Check]) {
        self.checks = Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
    }

    mutating func add(_ check: Check) {
        checks[check.name] = check
    }

    /// Notes a check as passed, or as failed for a reason.
    mutating func note(_ name: Check.Name, against reason: Reason?) {
        add(reason.map { Check(name, .fail, $0) } ?? Check(name, .pass))
    }

    func passed(_ name: Check.Name) -> Bool {
        guard let check = checks[name] else { return false }
        return check.outcome == .pass || isWarning(check)
    }

    /// Every check in the order of ``Check/Name``.
    var inOrder: [Check] { Check.Name.allCases.compactMap { checks[$0] } }

    /// The first failed check that decides.
    var rejection: Reason? {
        inOrder.first { $0.outcome == .fail && !isWarning($0) }?.reason
    }

    /// Missing evidence and warnings each lower the ceiling by a step ([R-VF-7]).
    ///
    /// What this version cannot evaluate at all is nobody's missing evidence and does not count.
    func confidence(of level: AttestationLevel) -> Confidence {
        let ceiling: Confidence = level == .secureEnclave ? .high : .medium
        let steps: [Confidence] = [.low, .medium, .high]
        let isMissing = inOrder.contains { $0.outcome == .unavailable && $0.reason != .notEvaluated }
        // A rollout that is only watched changes nothing.
        let lowered = inOrder.filter { isWarning($0) && $0.reason != .rolloutWouldReject }.count + (isMissing ? 1 : 0)
        let index = (steps.firstIndex(of: ceiling) ?? 0) - lowered
        return steps[max(0, index)]
    }

    private func isWarning(_ check: Check) -> Bool {
        check.outcome == .fail && check.reason.map { !$0.isDecisive } ?? false
    }
}
