import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging
import Observability

extension BatchProcessor {
    /// Gives lanes back, or leaves them to their leases: another worker then finds the results in the record.
    ///
    /// While the queue is away, it waits: no other worker could do anything either.
    func giveBack(_ settlements: [LaneSettlement], of batch: [LanePortion]) async {
        guard !settlements.isEmpty else { return }
        let started = ContinuousClock.now
        var tries = SettlementTries(settlements)
        let outcome = await patience.withQueue(.untilDone) { () async throws(QueueError) in
            let outcomes = try await queue.settle(tries.begin())
            if let fault = tries.note(outcomes) { throw fault }
        }
        switch outcome {
        case .done:
            faults.reach(.afterSettle)
            CaptureMetrics.stage(.giveBack, took: started.duration(to: .now))
        case .away: break
        case .fault(let fault): tries.fail(for: fault.description)
        }
        abandon(tries)
        let done = Set(await doneBefore(tries.doubtful, of: batch))
        await conclude(tries.settled + tries.doubtful.filter { done.contains($0.token) }, of: batch)
        await countLost(tries.fenced + tries.doubtful.filter { !done.contains($0.token) })
    }

    /// Leaves lanes to their leases that the queue has refused to take back, or for which it stayed away.
    private func abandon(_ tries: SettlementTries) {
        let lanes = tries.open + tries.failed.map { $0.settlement }
        guard !lanes.isEmpty else { return }
        queue.abandon(lanes.map(\.token))
        if !tries.open.isEmpty {
            logger.error(
                "lanes are left to their leases",
                metadata: [
                    "lanes": "\(tries.open.count)", "fault": "the worker had to stop before the queue took them back",
                ])
        }
        for (partition, failed) in Dictionary(grouping: tries.failed, by: { $0.settlement.token.partition }) {
            logger.error(
                "lanes are left to their leases",
                metadata: [
                    "partition": "\(partition)", "lanes": "\(failed.count)", "fault": "\(failed[0].fault)",
                ])
        }
    }

    /// Counts and logs the outcomes of lanes that were given back.
    private func conclude(_ settlements: [LaneSettlement], of batch: [LanePortion]) async {
        let log = SettlementLog(batch: batch, logger: logger)
        for settlement in settlements {
            WorkerMetrics.givenBack(settlement)
            log.note(settlement)
        }
        let elsewhere = Set(batch.flatMap(\.jobs).filter { !$0.isInRedis }.map(\.id))
        await removeBytes(of: settlements.flatMap(\.settledCaptures).filter { elsewhere.contains($0) })
        let missing = settlements.flatMap { lane in lane.withMissingBytes.map { (capture: $0, device: lane.device) } }
        await reconsider(missing, among: batch.flatMap(\.jobs))
    }

    /// Looks once more for results and bytes of captures that became dead letters because their bytes are gone.
    ///
    /// A worker that was taken for dead may have settled one after this worker asked for its result. If it tried to
    /// redrive the capture then, it was too early: there was no dead letter yet. Nor was there one when a bundle that was
    /// sent again brought the bytes after this worker had looked for them, and was answered with 202.
    private func reconsider(_ dead: [(capture: CaptureID, device: DeviceID)], among jobs: [ClaimedJob]) async {
        guard !dead.isEmpty else { return }
        let captures = dead.map(\.capture)
        let outcome = await patience.withStore(isReading: true) { () async throws(StoreError) in
            try await store.results(of: captures)
        }
        var settled: Set<CaptureID> = []
        if case .done(let results) = outcome { settled.formUnion(results.keys) }
        await redrive(dead.filter { settled.contains($0.capture) }, because: "has a result")
        let open = Set(captures).subtracting(settled)
        let here = await accepted(jobs.filter { open.contains($0.id) })
        await redrive(dead.filter { here.contains($0.capture) }, because: "has its bytes")
    }

    /// Counts lanes that another worker took over, and redrives their settled captures if those are dead letters.
    private func countLost(_ fenced: [LaneSettlement]) async {
        guard !fenced.isEmpty else { return }
        CaptureMetrics.leasesLost(fenced.count)
        logger.notice("lanes had been taken over by then", metadata: ["lanes": "\(fenced.count)"])
        let settled = fenced.flatMap { lane in lane.settledCaptures.map { (capture: $0, device: lane.device) } }
        await redrive(settled, because: "has a result")
    }

    /// The lanes that an earlier try gave back although its answer was lost: that is why their tokens are gone.
    ///
    /// The queue's states of their captures show it.
    private func doneBefore(_ fenced: [LaneSettlement], of batch: [LanePortion]) async -> [LaneToken] {
        guard !fenced.isEmpty else { return [] }
        let heads = Dictionary(batch.map { ($0.lease.token, $0.jobs) }) { first, _ in first }
        let questions = fenced.map { settlement in
            (settlement, head: heads[settlement.token]?.dropFirst(settlement.items.count).first?.id)
        }
        let captures = questions.flatMap { settlement, head -> [(capture: CaptureID, device: DeviceID)] in
            let ids = settlement.items.map(\.id) + [head].compactMap(\.self)
            return ids.map { (capture: $0, device: settlement.device) }
        }
        let answer = await patience.withQueue(.untilStop, isReading: true) { () async throws(QueueError) in
            try await queue.status(of: captures)
        }
        guard case .done(let statuses) = answer else { return [] }
        var known: [CaptureID: JobStatus] = [:]
        for case (let capture, let status?) in zip(captures.map(\.capture), statuses) { known[capture] = status }
        return questions.filter { settlement, head in
            settlement.isDone(head: head.flatMap { known[$0] }) { known[$0] }
        }.map(\.0.token)
    }

    /// Removes bytes that the queue has not removed itself; what is left over is swept later.
    private func removeBytes(of captures: [CaptureID]) async {
        guard !captures.isEmpty else { return }
        do throws(QueueError) {
            try await bundles.removeSettled(captures)
        } catch {
            logger.info(
                "bytes of settled captures are left to be swept",
                metadata: ["captures": "\(captures.count)", "fault": "\(error)"])
        }
    }

    /// Redrives captures that are dead letters by now although they have a result, which the next worker finds, or their
    /// bytes.
    ///
    /// When the queue has lost data, captures in flight come back without their bytes. A worker that asks the record
    /// just before it has their results makes them dead letters.
    private func redrive(_ captures: [(capture: CaptureID, device: DeviceID)], because fact: String) async {
        for (capture, device) in captures {
            let outcome = await patience.withQueue(.untilStop) { () async throws(QueueError) in
                try await queue.redrive(capture, from: device)
            }
            guard case .done(true) = outcome else { continue }
            logger.notice("a dead letter \(fact) after all", metadata: ["capture_id": "\(capture)"])
        }
    }
}

extension LaneSettlement {
    /// The captures that became dead letters because their bytes are gone.
    fileprivate var withMissingBytes: [CaptureID] {
        items.compactMap { if case .dead(.bundleMissing, _) = $0.disposition { $0.id } else { nil } }
    }

    /// Whether the states of its captures show that it was done.
    ///
    /// A settlement that only gives the lane back leaves no trace, and nothing to count either.
    /// - Parameters:
    ///   - head: The state of the capture at which the lane was to be put off.
    ///   - known: The state of a capture that was to leave the lane.
    func isDone(head: JobStatus?, _ known: (CaptureID) -> JobStatus?) -> Bool {
        let haveLeft = items.allSatisfy { item in
            guard let status = known(item.id) else { return false }
            switch item.disposition {
            case .settled(let decision):
                return status.state == CaptureState(decision.verdict) && status.reason == decision.reason
            case .dead(let reason, let fault):
                return status.state == .failed && status.reason == reason && status.fault == fault
            }
        }
        guard haveLeft, case .delayed(_, let reason, let fault, _) = continuation else { return haveLeft }
        // A later claim has removed the reason and kept the fault.
        guard let head, head.fault == fault else { return false }
        return head.state != .retrying || head.reason == reason
    }
}
