import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging
import Observability
import Synchronization

extension BatchProcessor {
    /// Gives lanes back; one that cannot be is left to its lease: another worker finds the results in the record.
    ///
    /// While the queue is away nobody else could do anything either, so there is nothing better to do than to wait.
    func giveBack(_ settlements: [LaneSettlement], of batch: [LanePortion]) async {
        guard !settlements.isEmpty else { return }
        let started = ContinuousClock.now
        let tries = Mutex(0)
        let outcome = await patience.withQueue(.untilDone) { () async throws(QueueError) in
            tries.withLock { $0 += 1 }
            return try await queue.settle(settlements)
        }
        switch outcome {
        case .done(let outcomes):
            faults.reach(.afterSettle)
            CaptureMetrics.stage(.giveBack, took: started.duration(to: .now))
            var given = zip(settlements, outcomes).filter { $1 == .settled }.map(\.0)
            var fenced = zip(settlements, outcomes).filter { $1 == .fenced }.map(\.0)
            if !fenced.isEmpty, tries.withLock({ $0 }) > 1 {
                let done = Set(await doneBefore(fenced, of: batch))
                given += fenced.filter { done.contains($0.token) }
                fenced.removeAll { done.contains($0.token) }
            }
            await conclude(given, of: batch)
            await giveUp(fenced)
        case .away:
            queue.abandon(settlements.map(\.token))
        case .fault(let fault):
            queue.abandon(settlements.map(\.token))
            logger.error("lanes are left to their leases", metadata: ["fault": "\(fault)"])
        }
    }

    /// Counts and tells what lanes were given back with.
    private func conclude(_ settlements: [LaneSettlement], of batch: [LanePortion]) async {
        let log = SettlementLog(batch: batch, logger: logger)
        for settlement in settlements {
            WorkerMetrics.givenBack(settlement)
            log.note(settlement)
        }
        let elsewhere = Set(batch.flatMap(\.jobs).filter { !$0.isInRedis }.map(\.id))
        await removeBytes(of: settlements.flatMap(\.settledCaptures).filter { elsewhere.contains($0) })
        await bringBackSettled(of: settlements.flatMap(\.withoutBytes))
    }

    /// Asks once more about captures that were given up as their bytes are gone.
    ///
    /// A worker that was taken for dead may have settled one after this worker asked for its result, and have tried to
    /// bring it back before it was a dead letter.
    private func bringBackSettled(of captures: [CaptureID]) async {
        guard !captures.isEmpty else { return }
        let outcome = await patience.withStore(isReading: true) { () async throws(StoreError) in
            try await store.results(of: captures)
        }
        if case .done(let results) = outcome { await bringBack(captures.filter { results[$0] != nil }) }
    }

    /// Lanes that are another worker's by now.
    private func giveUp(_ fenced: [LaneSettlement]) async {
        guard !fenced.isEmpty else { return }
        CaptureMetrics.leasesLost(fenced.count)
        logger.notice("lanes had been taken over by then", metadata: ["lanes": "\(fenced.count)"])
        await bringBack(fenced.flatMap(\.settledCaptures))
    }

    /// Which of some lanes were given back by an earlier try whose answer was lost: their tokens are gone for that.
    ///
    /// The queue knows what became of their captures.
    private func doneBefore(_ fenced: [LaneSettlement], of batch: [LanePortion]) async -> [LaneToken] {
        let heads = Dictionary(batch.map { ($0.lease.token, $0.jobs) }) { first, _ in first }
        let questions = fenced.map { settlement in
            (settlement, head: heads[settlement.token]?.dropFirst(settlement.items.count).first?.id)
        }
        let captures = questions.flatMap { settlement, head in settlement.items.map(\.id) + [head].compactMap(\.self) }
        let answer = await patience.withQueue(.untilStop, isReading: true) { () async throws(QueueError) in
            try await queue.status(of: captures)
        }
        guard case .done(let statuses) = answer else { return [] }
        var known: [CaptureID: JobStatus] = [:]
        for case (let capture, let status?) in zip(captures, statuses) { known[capture] = status }
        return questions.filter { settlement, head in
            settlement.isDone(head: head.flatMap { known[$0] }) { known[$0] }
        }.map(\.0.token)
    }

    /// Where the queue has not done it itself; what is left over is swept later.
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

    /// Puts captures that have a result back, should somebody have given them up meanwhile: whoever gets them next
    /// finds it.
    ///
    /// When the queue has lost data, those in hands come back without their bytes, and are given up by a worker that
    /// asks the record just before it has their results.
    private func bringBack(_ captures: [CaptureID]) async {
        for capture in captures {
            let outcome = await patience.withQueue(.untilStop) { () async throws(QueueError) in
                try await queue.redrive(capture)
            }
            guard case .done(true) = outcome else { continue }
            logger.notice("a dead letter has a result after all", metadata: ["capture_id": "\(capture)"])
        }
    }
}

extension LaneSettlement {
    /// The captures that became dead letters for their bytes.
    fileprivate var withoutBytes: [CaptureID] {
        items.compactMap { if case .dead(.bundleMissing, _) = $0.disposition { $0.id } else { nil } }
    }

    /// Whether what is known of its captures says that it was done.
    ///
    /// One that only gives the lane back leaves nothing to tell it by, and nothing to be counted either.
    /// - Parameters:
    ///   - head: What is known of the capture at which the lane was to be put off.
    ///   - known: What is known of a capture that was to leave the lane.
    func isDone(head: JobStatus?, _ known: (CaptureID) -> JobStatus?) -> Bool {
        let haveLeft = items.allSatisfy { item in
            guard let status = known(item.id) else { return false }
            switch item.disposition {
            case .settled(let verdict, let reason, _):
                return status.state.rawValue == verdict.rawValue && status.reason == reason
            case .dead(let reason, let fault):
                return status.state == .failed && status.reason == reason && status.fault == fault
            }
        }
        guard haveLeft, case .delayed(_, let reason, let fault, _) = continuation else { return haveLeft }
        // Whoever has claimed it since has taken the reason away, and left the fault.
        guard let head, head.fault == fault else { return false }
        return head.state != .retrying || head.reason == reason
    }
}
