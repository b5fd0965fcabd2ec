import CaptureModel
import CaptureQueue

/// What a batch found about one lane, and how the lane is given back for it.
struct LaneConclusion: Sendable {
    let portion: LanePortion
    /// One finding for each of the portion's jobs.
    let findings: [Finding]
    let verifyTimes: [Duration]

    /// The captures that the record decides about: those before the first fault, so that none overtakes another.
    var decidable: [VerifiedCapture] {
        var captures: [VerifiedCapture] = []
        for finding in findings {
            switch finding {
            case .verified(let capture): captures.append(capture)
            case .dead: continue
            case .fault: return captures
            }
        }
        return captures
    }

    /// The settlement, once the record has decided.
    /// - Parameters:
    ///   - decisions: The record's, for every capture of ``decidable``.
    ///   - settleTime: How long the transaction took.
    ///   - retry: How long a lane is put off whose head has been tried that often.
    func settlement(
        decisions: [CaptureID: SettledCapture], settleTime: Duration, attemptsMax: Int, retry: (Int) -> Duration
    ) -> LaneSettlement {
        var items: [LaneSettlement.Item] = []
        for (index, (claimed, finding)) in zip(portion.jobs, findings).enumerated() {
            switch finding {
            case .verified(let capture):
                guard let decision = decisions[claimed.id] else { return give(items, .handedBack) }
                let timings = CaptureTimings(
                    queue: capture.job.claimedAt.since(capture.job.receivedAt), verify: verifyTimes[index],
                    settle: settleTime
                )
                items.append(
                    .init(id: claimed.id, disposition: .settled(decision.verdict, decision.reason, timings))
                )
            case .dead(let reason, let fault):
                items.append(.init(id: claimed.id, disposition: .dead(reason, fault: fault)))
            case .fault(let reason, let fault):
                guard claimed.attempts >= attemptsMax else {
                    return give(items, .delayed(retry(claimed.attempts), fault: "\(reason.rawValue): \(fault)"))
                }
                items.append(.init(id: claimed.id, disposition: .dead(reason, fault: fault)))
                return give(items, .handedBack)
            }
        }
        return give(items, portion.leavesSome ? .handedBack : .ready)
    }

    /// Gives the lane back with nothing done and nothing counted.
    var handBack: LaneSettlement { give([], .handedBack) }

    /// Puts the lane off for a fault of the record's that met the whole batch; the head may be out of attempts.
    func putOff(for fault: String, attemptsMax: Int, retry: (Int) -> Duration) -> LaneSettlement {
        guard let head = portion.jobs.first else { return handBack }
        guard head.attempts < attemptsMax else {
            let item = LaneSettlement.Item(id: head.id, disposition: .dead(.attemptsExhausted, fault: fault))
            return give([item], .handedBack)
        }
        return give([], .delayed(retry(head.attempts), fault: fault))
    }

    private func give(_ items: [LaneSettlement.Item], _ continuation: LaneSettlement.Continuation) -> LaneSettlement {
        LaneSettlement(
            token: portion.lease.token, device: portion.lease.device, items: items, continuation: continuation
        )
    }
}

extension ClaimedJob {
    /// How often it was claimed, this time included.
    var attempts: Int {
        guard case .valid(let job) = self else { return 1 }
        return job.attempts
    }
}
