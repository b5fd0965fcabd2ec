import CaptureModel
import CaptureQueue

/// A batch's conclusions about one lane, and how the lane is given back.
struct LaneConclusion: Sendable {
    let portion: LanePortion
    /// One conclusion for each of the portion's jobs.
    let conclusions: [CaptureConclusion]
    let verifyTimes: [Duration]

    /// The captures that the record decides about, so that none overtakes another: those before the first fault, and
    /// before the first of which the record could not say whether it has a result.
    func decidable(after recalled: BatchDecision) -> [VerifiedCapture] {
        var captures: [VerifiedCapture] = []
        for (claimed, conclusion) in zip(portion.jobs, conclusions) {
            switch conclusion {
            case .verified(let capture): captures.append(capture)
            case .dead where recalled.unrecalled[claimed.id] != nil: return captures
            case .dead: continue
            case .fault: return captures
            }
        }
        return captures
    }

    /// The captures whose bytes are gone, or too many to be fetched: they may have a result all the same.
    var withoutBytes: [CaptureJob] {
        zip(portion.jobs, conclusions).compactMap { claimed, conclusion in
            guard case .dead = conclusion, case .valid(let job) = claimed else { return nil }
            return job
        }
    }

    /// The settlement, once the record has decided.
    /// - Parameters:
    ///   - decided: The record's answer about the captures of ``decidable(after:)``.
    ///   - settleTime: How long the transaction took.
    ///   - retry: How long a lane is put off, given the attempts of its head.
    func settlement(
        decided: BatchDecision, settleTime: Duration, attemptsMax: Int, retry: (Int) -> Duration
    ) -> LaneSettlement {
        var items: [LaneSettlement.Item] = []
        for (index, (claimed, conclusion)) in zip(portion.jobs, conclusions).enumerated() {
            switch conclusion {
            case .verified(let capture):
                if let fault = decided.refusals[claimed.id] {
                    items.append(.init(id: claimed.id, disposition: .dead(.internal, fault: fault)))
                    continue
                }
                guard let decision = decided.decisions[claimed.id] else {
                    guard let fault = decided.faults[capture.job.device] else { return give(items, .handedBack) }
                    return putOff(
                        items, claimed, nil, fault, isConflict: decided.conflicts.contains(capture.job.device),
                        attemptsMax: attemptsMax, retry: retry)
                }
                items.append(settled(capture.job, decision, verify: verifyTimes[index], settle: settleTime))
            case .dead(let reason, let fault):
                let dead = LaneSettlement.Item(id: claimed.id, disposition: .dead(reason, fault: fault))
                guard case .valid(let job) = claimed else {
                    items.append(dead)
                    continue
                }
                if let decision = decided.decisions[claimed.id] {
                    items.append(settled(job, decision, verify: verifyTimes[index], settle: settleTime))
                } else if let unrecalled = decided.unrecalled[claimed.id] {
                    return putOff(
                        items, claimed, nil, unrecalled.fault, isConflict: unrecalled.isConflict,
                        attemptsMax: attemptsMax, retry: retry)
                } else if decided.isRecallInterrupted {
                    // Whether the capture has a result is not known yet.
                    return give(items, .handedBack)
                } else {
                    items.append(dead)
                }
            case .fault(let reason, let fault):
                return putOff(items, claimed, reason, fault, attemptsMax: attemptsMax, retry: retry)
            }
        }
        return give(items, portion.leavesSome ? .handedBack : .ready)
    }

    private func settled(
        _ job: CaptureJob, _ decision: SettledCapture, verify: Duration, settle: Duration
    ) -> LaneSettlement.Item {
        let timings = CaptureTimings(queue: job.claimedAt.since(job.receivedAt), verify: verify, settle: settle)
        return .init(id: job.id, disposition: .settled(decision.verdict, decision.reason, timings))
    }

    /// Gives the lane back with nothing done and nothing counted.
    var handBack: LaneSettlement { give([], .handedBack) }

    /// Puts the lane off for a fault that occurred before anything was found out.
    /// - Parameters:
    ///   - isConflict: Whether the fault is a conflict, which is no fault of a capture.
    ///   - attemptsMax: After how many attempts its head becomes a dead letter.
    func putOff(
        for fault: String, isConflict: Bool, attemptsMax: Int, retry: (Int) -> Duration
    ) -> LaneSettlement {
        guard let head = portion.jobs.first else { return handBack }
        return putOff([], head, nil, fault, isConflict: isConflict, attemptsMax: attemptsMax, retry: retry)
    }

    /// Puts the lane off at a capture that a fault has met; a capture without attempts left becomes a dead letter.
    ///
    /// A lock or a hanging commit may last for hours, so conflicts use up only half of the attempts. The other half is
    /// left for faults that a retry can mend.
    private func putOff(
        _ items: [LaneSettlement.Item], _ claimed: ClaimedJob, _ reason: Reason?, _ fault: String,
        isConflict: Bool = false, attemptsMax: Int, retry: (Int) -> Duration
    ) -> LaneSettlement {
        let job: CaptureJob
        switch claimed {
        case .valid(let valid): job = valid
        // Its attempts cannot be read, and waiting cannot mend it.
        case .malformed(let id, let malformation):
            return give(items + [.init(id: id, disposition: .dead(.internal, fault: malformation))], .handedBack)
        }
        if isConflict {
            let isAttempt = job.attempts <= attemptsMax / 2
            return give(items, .delayed(retry(job.attempts), fault: fault, isAttempt: isAttempt))
        }
        guard job.attempts < attemptsMax else {
            let disposition = LaneSettlement.Disposition.dead(reason ?? .attemptsExhausted, fault: fault)
            return give(items + [.init(id: claimed.id, disposition: disposition)], .handedBack)
        }
        return give(items, .delayed(retry(job.attempts), reason: reason, fault: fault))
    }

    private func give(_ items: [LaneSettlement.Item], _ continuation: LaneSettlement.Continuation) -> LaneSettlement {
        LaneSettlement(
            token: portion.lease.token, device: portion.lease.device, items: items, continuation: continuation
        )
    }
}
