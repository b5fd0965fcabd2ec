import Bisection
import CaptureModel
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging
import Observability
import Rollout
import Tracing
import Waiting

/// Works a batch in four steps: fetch, verify, settle in the record, give the lanes back.
struct BatchProcessor<
    Queue: WorkedQueue & DeadLetterQueue, Bundles: BundleStore, Store: CaptureStore
>: Sendable {
    let queue: Queue
    let bundles: Bundles
    let store: Store
    let configuration: WorkerConfiguration
    let verifier: BatchVerifier
    let devices: DeviceCache
    let rollout: RolloutInForce
    let now: TimeSource
    let patience: Patience
    let untaken: UntakenLog
    let faults: ArmedFaults
    let logger: Logger
    /// How many conflicts with what others do to the record are tried again.
    private(set) var conflictsMax = Patience.conflictsMax

    /// The same for suspects: everything else waits meanwhile, and so a conflict is not tried again.
    var forSuspects: BatchProcessor {
        var processor = self
        processor.conflictsMax = 0
        return processor
    }

    private var retries: RetryRule {
        let (backoff, chance) = (configuration.retryBackoff, patience.chance)
        return RetryRule(attemptsMax: configuration.attemptsMax) { attempts in
            backoff.delay(attempt: attempts, chance: chance())
        }
    }

    /// Works one batch to its end.
    ///
    /// Whatever happens, each lane is given back or left to its lease. A batch whose devices or bytes cannot be read is
    /// halved, until the culprit is alone and put off.
    /// - Returns: Whether there was time for all of it. `false` if a server stayed away, or conflicts held up the
    ///   record, for as long as a batch is held: the next batch would be held in vain as well.
    @discardableResult
    func process(_ batch: [LanePortion]) async -> Bool {
        var parts = Bisection(batch)
        while let part = parts.next() {
            switch await outcome(of: Array(part)) {
            case .done(hadTime: true): continue
            case .done(hadTime: false):
                await handBack(parts.rest)
                return false
            case .culprit(let fault):
                if !divide(part, of: &parts) { await putOff(Array(part), for: fault) }
            }
        }
        return true
    }

    /// What became of a part of a batch.
    private enum PartOutcome {
        /// Its lanes were given back, or left to their leases.
        case done(hadTime: Bool)
        /// The devices or bytes of at least one of its captures cannot be read; nothing was given back.
        case culprit(Patience.Fault)
    }

    private func outcome(of part: [LanePortion]) async -> PartOutcome {
        let started = patience.now()
        switch await verify(part) {
        case .done(let conclusions):
            let (settlements, hadTime) = await settle(conclusions)
            await giveBack(await withoutReplaced(settlements, of: part), of: part)
            return .done(hadTime: hadTime)
        case .away:
            await handBack(part)
            return .done(hadTime: false)
        case .fault(let fault) where !fault.isConflict:
            return .culprit(fault)
        case .fault(let fault):
            // A read that meets a conflict met it for every device: dividing would not help.
            await putOff(part, for: fault)
            return .done(hadTime: !fault.isOutOfTime && patience.mayHold(since: started))
        }
    }

    /// Puts the halves of a part back, to find the culprit; `false` if the part is a single capture.
    private func divide(_ part: ArraySlice<LanePortion>, of parts: inout Bisection<LanePortion>) -> Bool {
        if parts.halve(part) { return true }
        // One lane is left: its first half is tried. The other half is not lost: when the lane is given back, what was
        // not worked stays in it, and comes with the next claim.
        guard let shorter = part.first?.firstHalf else { return false }
        parts.putFirst([[shorter]])
        return true
    }

    /// Gives back a batch that was not begun.
    func handBack(_ batch: [LanePortion]) async {
        await giveBack(batch.map { LaneConclusion(portion: $0, conclusions: []).handBack }, of: batch)
    }

    private func putOff(_ batch: [LanePortion], for fault: Patience.Fault) async {
        logger.error(
            "lanes cannot be worked and are put off", metadata: ["lanes": "\(batch.count)", "fault": "\(fault)"])
        let lanes = batch.map { LaneConclusion(portion: $0, conclusions: []) }
        await giveBack(lanes.map { $0.putOff(for: fault, retries: retries) }, of: batch)
    }

    /// - Returns: How the lanes are given back, and whether there was time for all of them.
    private func settle(_ conclusions: [LaneConclusion]) async -> (settlements: [LaneSettlement], hadTime: Bool) {
        let started = ContinuousClock.now
        let log = SettlementLog(batch: conclusions.map(\.portion), logger: logger)
        let instant = DefaultTracerClock.now
        faults.reach(.beforeCommit)
        let recall = await Recall.of(conclusions.flatMap(\.givenUp), from: store, patience, conflictsMax: conflictsMax)
        let lanes = await withoutArrived(conclusions, after: recall)
        let decidable = await marked(lanes.flatMap { $0.decidable(after: recall) }, of: lanes.map(\.portion))
        var decided = BatchDecision(extent: .partial)
        if recall.extent != .away {
            decided = await BatchDecision.of(
                store, on: decidable, configuration.counterPolicy, patience, conflictsMax: conflictsMax)
        }
        if decided.extent != .partial { faults.reach(.afterCommit) }
        CaptureMetrics.stage(.settle, took: started.duration(to: .now))
        log.span("settle", of: Array(recall.results.keys) + decided.settled.keys, since: instant)
        let time = now()
        WorkerMetrics.settled(decidable, decided, at: time)
        untaken.note(decidable, decided, at: patience.now())
        report(recall, decided)
        await tellConflicts(among: decidable, decided, in: log)
        let settlements = lanes.map { $0.settlement(recall: recall, decided: decided, retries: retries) }
        return (settlements, recall.extent == .whole && decided.extent == .whole)
    }

    /// Tells the log what the record did not decide.
    private func report(_ recall: Recall, _ decided: BatchDecision) {
        for (capture, fault) in recall.faults {
            logger.error(
                "whether a capture without bytes has a result cannot be read; its lane is put off",
                metadata: ["capture_id": "\(capture)", "fault": "\(fault.description)"])
        }
        for (capture, fault) in decided.refused {
            logger.error(
                "the record refuses a capture for good; it becomes a dead letter",
                metadata: ["capture_id": "\(capture)", "fault": "\(fault)"])
        }
        if let fault = decided.deviceFaults.values.first {
            logger.error(
                "the record did not decide on all captures; their lanes are put off",
                metadata: ["lanes": "\(decided.deviceFaults.count)", "fault": "\(fault.description)"])
        }
    }
}
