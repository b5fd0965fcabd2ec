import CaptureModel
import CaptureQueue

/// A batch's conclusions about one lane, and how the lane is given back.
struct LaneConclusion: Sendable {
    let portion: LanePortion
    /// One conclusion for each of the portion's jobs.
    let conclusions: [CaptureConclusion]

    /// The captures that the record decides about, so that none overtakes another: those before the first fault, and
    /// before the first of which the record could not say whether it has a result.
    func decidable(after recall: Recall) -> [ExaminedCapture] {
        var captures: [ExaminedCapture] = []
        for (claimed, conclusion) in zip(portion.jobs, conclusions) {
            switch conclusion {
            case .examined(let capture): captures.append(capture)
            case .dead:
                if recall.faults[claimed.id] != nil { return captures }
            case .fault: return captures
            }
        }
        return captures
    }

    /// The captures to be given up, most often as their bytes are gone: they may have a result all the same.
    var givenUp: [CaptureJob] {
        zip(portion.jobs, conclusions).compactMap { claimed, conclusion in
            guard case .dead = conclusion, case .valid(let job) = claimed else { return nil }
            return job
        }
    }

    /// The captures to be given up because their bytes are gone, without those that have a result or may have one.
    func withoutBytes(after recall: Recall) -> [ClaimedJob] {
        zip(portion.jobs, conclusions).compactMap { claimed, conclusion in
            guard case .dead(.bundleMissing, _) = conclusion, recall.results[claimed.id] == nil,
                recall.faults[claimed.id] == nil
            else { return nil }
            return claimed
        }
    }

    /// The lane with only what is before the first of some captures; the rest is given back with it.
    func cut(before captures: Set<CaptureID>) -> LaneConclusion {
        guard let end = portion.jobs.firstIndex(where: { captures.contains($0.id) }) else { return self }
        let jobs = portion.jobs[..<end]
        return LaneConclusion(
            portion: LanePortion(lease: portion.lease, jobs: jobs), conclusions: Array(conclusions.prefix(jobs.count)))
    }

    /// The settlement, once the record has decided.
    /// - Parameters:
    ///   - recall: The record's answer about ``givenUp``.
    ///   - decided: The record's answer about the captures of ``decidable(after:)``.
    func settlement(recall: Recall, decided: BatchDecision, retries: RetryRule) -> LaneSettlement {
        var items: [LaneSettlement.Item] = []
        for (claimed, conclusion) in zip(portion.jobs, conclusions) {
            switch step(claimed, conclusion, recall, decided) {
            case .leaves(let disposition): items.append(.init(id: claimed.id, disposition: disposition))
            case .putsOff(let reason, let fault): return putOff(items, claimed, reason, for: fault, retries)
            case .waits: return give(items, .handedBack)
            }
        }
        return give(items, portion.leavesSome ? .handedBack : .ready)
    }

    /// What becomes of one capture, and so of the lane behind it.
    private enum Step {
        /// It leaves the lane, and the next capture is looked at.
        case leaves(LaneSettlement.Disposition)
        /// It puts the lane off; the reason is set if the fault is the capture's own.
        case putsOff(Reason?, Patience.Fault)
        /// The record did not come to it: the lane is handed back.
        case waits
    }

    private func step(
        _ claimed: ClaimedJob, _ conclusion: CaptureConclusion, _ recall: Recall, _ decided: BatchDecision
    ) -> Step {
        switch conclusion {
        case .examined(let capture):
            if let settled = decided.settled[claimed.id] { return .leaves(.settled(settled.decision)) }
            if let fault = decided.refused[claimed.id] { return .leaves(.dead(.internal, fault: fault)) }
            if let fault = decided.deviceFaults[capture.job.device] { return .putsOff(nil, fault) }
            return .waits
        case .dead(let reason, let fault):
            guard case .valid = claimed else { return .leaves(.dead(reason, fault: fault)) }
            if let decision = recall.results[claimed.id] { return .leaves(.settled(decision)) }
            if let fault = recall.faults[claimed.id] { return .putsOff(nil, fault) }
            // As long as it was not looked up, it may have a result.
            return recall.extent == .away ? .waits : .leaves(.dead(reason, fault: fault))
        case .fault(let reason, let fault): return .putsOff(reason, Patience.Fault(fault))
        }
    }

    /// Gives the lane back with nothing done and nothing counted.
    var handBack: LaneSettlement { give([], .handedBack) }

    /// Puts the lane off for a fault that occurred before anything was found out.
    func putOff(for fault: Patience.Fault, retries: RetryRule) -> LaneSettlement {
        guard let head = portion.jobs.first else { return handBack }
        return putOff([], head, nil, for: fault, retries)
    }

    /// Puts the lane off at a capture that a fault has met; a capture without attempts left becomes a dead letter.
    ///
    /// A lock or a hanging commit may last for hours, so conflicts use up only half of the attempts. The other half is
    /// left for faults that a retry can mend.
    private func putOff(
        _ items: [LaneSettlement.Item], _ claimed: ClaimedJob, _ reason: Reason?, for fault: Patience.Fault,
        _ retries: RetryRule
    ) -> LaneSettlement {
        let job: CaptureJob
        switch claimed {
        case .valid(let valid): job = valid
        // Its attempts cannot be read, and waiting cannot mend it.
        case .malformed(let id, let malformation):
            return give(items + [.init(id: id, disposition: .dead(.internal, fault: malformation))], .handedBack)
        }
        if fault.isConflict {
            let isAttempt = job.attempts <= retries.attemptsMax / 2
            return give(
                items, .delayed(retries.delay(job.attempts), fault: fault.description, isAttempt: isAttempt))
        }
        guard job.attempts < retries.attemptsMax else {
            let disposition = LaneSettlement.Disposition.dead(reason ?? .attemptsExhausted, fault: fault.description)
            return give(items + [.init(id: claimed.id, disposition: disposition)], .handedBack)
        }
        return give(items, .delayed(retries.delay(job.attempts), reason: reason, fault: fault.description))
    }

    private func give(_ items: [LaneSettlement.Item], _ continuation: LaneSettlement.Continuation) -> LaneSettlement {
        LaneSettlement(
            token: portion.lease.token, device: portion.lease.device, items: items, continuation: continuation
        )
    }
}
