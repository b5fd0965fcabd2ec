import CaptureModel

/// Collects the checks of one capture and draws the conclusions from them.
struct CheckList {
    /// In the order of ``CaptureModel/Check/Name``, at most one of each name.
    private(set) var inOrder: [Check]

    init(checks: [Check]) {
        inOrder = []
        inOrder.reserveCapacity(Check.Name.allCases.count)
        for check in checks { add(check) }
    }

    /// Adds a check, or replaces the one of its name.
    mutating func add(_ check: Check) {
        // There are hardly more than ten checks, and they come nearly in order.
        var place = inOrder.endIndex
        while place > 0, inOrder[place - 1].name > check.name { place -= 1 }
        if place > 0, inOrder[place - 1].name == check.name {
            inOrder[place - 1] = check
        } else {
            inOrder.insert(check, at: place)
        }
    }

    /// Notes a check as passed, or as failed for a reason.
    mutating func note(_ name: Check.Name, against reason: Reason?) {
        add(reason.map { Check(name, .fail, $0) } ?? Check(name, .pass))
    }

    func passed(_ name: Check.Name) -> Bool {
        inOrder.contains { $0.name == name && ($0.outcome == .pass || $0.isWarning) }
    }

    /// The reason of the first failed check that is no mere warning.
    var rejection: Reason? {
        inOrder.first { $0.outcome == .fail && !$0.isWarning }?.reason
    }

    /// The level's highest confidence, lowered by a step for missing evidence and by a step for each warning.
    ///
    /// A check that this version cannot evaluate at all is not missing evidence.
    func confidence(of level: AttestationLevel) -> Confidence {
        let steps: [Confidence] = [.low, .medium, .high]
        let isMissing = inOrder.contains { $0.outcome == .unavailable && $0.reason != .notEvaluated }
        // A rollout under `monitor` changes nothing.
        let lowered = inOrder.count { $0.isWarning && $0.reason != .rolloutWouldReject } + (isMissing ? 1 : 0)
        let index = (steps.firstIndex(of: level.confidenceMax) ?? 0) - lowered
        return steps[max(0, index)]
    }
}
