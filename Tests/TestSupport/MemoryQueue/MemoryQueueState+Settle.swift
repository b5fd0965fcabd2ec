import CaptureModel
import CaptureQueue

extension MemoryQueueState {
    /// Gives one lane back; also returns the captures whose bytes are not needed any more.
    mutating func settle(
        _ settlement: LaneSettlement, consumer: String, now: Timestamp
    ) -> (outcome: SettleOutcome, spent: [CaptureID]) {
        guard let token = token(of: settlement.token, consumer: consumer),
            held[token]?.device == settlement.device
        else { return (.fenced, []) }
        guard lanes[settlement.device, default: []].starts(with: settlement.items.map(\.id)) else {
            return (.mismatch, [])
        }
        var spent: [CaptureID] = []
        for item in settlement.items {
            _ = removeHead(of: settlement.device)
            switch item.disposition {
            case .settled(let decision):
                finish(item.id, decision, now: now)
                spent.append(item.id)
            case .dead(let reason, let fault):
                bury(item.id, reason: reason, fault: fault, now: now)
            }
        }
        held[token] = nil
        returnClaimed(settlement, now: now)
        if case .delayed(let delay, _, _, _) = settlement.continuation, lanes[settlement.device]?.isEmpty == false {
            delayed[settlement.device] = now.advanced(by: delay)
        } else {
            release(settlement.device)
        }
        return (.settled, spent)
    }

    private mutating func finish(_ capture: CaptureID, _ decision: Decision, now: Timestamp) {
        jobs[capture]?.status.state = CaptureState(decision.verdict)
        jobs[capture]?.status.reason = decision.reason
        jobs[capture]?.status.fault = nil
        jobs[capture]?.status.settledAt = now
        settled.append(capture)
        if settled.count > limits.statusesMax, let job = jobs.removeValue(forKey: settled.removeFirst()) {
            accepted[job.submission.bundleDigest] = nil
        }
    }

    /// Moves a capture that has left its lane to the dead letters.
    mutating func bury(_ capture: CaptureID, reason: Reason, fault: String, now: Timestamp) {
        jobs[capture]?.status.state = .failed
        jobs[capture]?.status.reason = reason
        jobs[capture]?.status.fault = fault
        jobs[capture]?.status.settledAt = now
        jobs[capture]?.status.nextAttemptAt = nil
        jobs[capture]?.takeOvers = 0
        // Later than the last one, so that those of a lane are put back in their order.
        let last = dead.compactMap { jobs[$0]?.diedAt }.max()
        jobs[capture]?.diedAt = last.map { max(now, $0.advanced(by: .milliseconds(1))) } ?? now
        dead.append(capture)
    }

    /// Makes a lane ready again if there is something in it.
    mutating func release(_ device: DeviceID) {
        if lanes[device]?.isEmpty == false { addToken(device) } else { lanes[device] = nil }
    }

    /// Queues again what was claimed with the lane and is not settled.
    private mutating func returnClaimed(_ settlement: LaneSettlement, now: Timestamp) {
        for (index, capture) in lanes[settlement.device, default: []].enumerated() {
            guard var job = jobs[capture], job.status.state == .processing else { break }
            job.status.state = .queued
            switch settlement.continuation {
            case .delayed(let delay, let reason, let fault, let isAttempt) where index == 0:
                job.status.state = .retrying
                if !isAttempt { job.status.attempts = max(0, job.status.attempts - 1) }
                job.status.reason = reason
                job.status.fault = fault
                job.status.nextAttemptAt = now.advanced(by: delay)
            case .delayed, .handedBack:
                job.status.attempts = max(0, job.status.attempts - 1)
            case .ready:
                break
            }
            jobs[capture] = job
        }
    }
}
