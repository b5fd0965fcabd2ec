import CaptureModel
import CaptureStore

/// What the record said to a batch, capture by capture.
struct BatchDecision: Sendable {
    /// Why it cannot be told whether a capture has a result.
    struct Unrecalled: Sendable {
        let fault: String
        /// Whether somebody holds up the record, which is no fault of the capture.
        let isConflict: Bool
    }

    /// What it decided.
    var decisions: [CaptureID: SettledCapture] = [:]
    /// What it refuses for good, and why.
    var refusals: [CaptureID: String] = [:]
    /// Why captures of these devices have neither: a conflict, damage, an answer that cannot be read.
    var faults: [DeviceID: String] = [:]
    /// Those of them that met a conflict, which is no fault of their captures however long it lasts.
    var conflicts: Set<DeviceID> = []
    /// Captures without bytes of which the record cannot tell whether they have a result.
    var unrecalled: [CaptureID: Unrecalled] = [:]
    /// Whether there is a rest that has nothing of all that: the record stayed away for too long, or conflicts took all the
    /// time that there is.
    var isInterrupted = false
    /// Whether conflicts took all the time for which a batch is held.
    var isOutOfTime = false

    /// Asks the record about a batch.
    ///
    /// A batch that is refused for good, whose answer cannot be read, or with which the record meets damage of its own,
    /// is divided until the culprit is alone: one that the record cannot take must not drag the others with it. The
    /// first half is decided before the second, so that the captures of a key keep their order.
    ///
    /// A batch of several devices that meets a conflict is divided at once into one part for each: most often one
    /// device's row is locked, and each part may wait for as long. When there is no more time to hold the batch, what
    /// was not tried is left. Behind a capture that a conflict or damage keeps from being decided its device's others
    /// wait with it.
    ///
    /// At most two transactions for each capture, and those that are tried again.
    ///
    /// - Parameter isAlone: Whether everything else waits meanwhile: then a conflict is not tried again.
    static func of(
        _ store: some CaptureStore, on captures: [VerifiedCapture], _ policy: CounterPolicy, _ patience: Patience,
        isAlone: Bool = false
    ) async -> BatchDecision {
        var decided = BatchDecision()
        var parts = captures.isEmpty ? [] : [captures[...]]
        let started = ContinuousClock.now
        let areOfSeveral = captures.dropFirst().contains { $0.job.device != captures[0].job.device }
        let conflictsMax = areOfSeveral || isAlone ? 0 : Patience.conflictsMax
        while let part = parts.popLast() {
            let outcome = await patience.withStore(conflictsMax: conflictsMax, since: started) {
                () async throws(StoreError) in
                try await answer(of: store, on: Array(part), policy)
            }
            let middle = part.startIndex + part.count / 2
            switch outcome {
            case .done(.success(let settled)):
                for decision in settled { decided.decisions[decision.id] = decision }
            case .done(.failure) where part.count > 1:
                parts += [part[middle...], part[..<middle]]
            case .done(.failure(let fault)):
                decided.putOff(part, for: fault.description)
                if fault.isDamage { parts = decided.rest(of: parts) }
            case .fault(let fault) where fault.isPermanent && part.count > 1:
                parts += [part[middle...], part[..<middle]]
            case .fault(let fault) where fault.isPermanent:
                for capture in part { decided.refusals[capture.job.id] = fault.description }
            case .fault(let fault):
                let mayGoOn = !fault.isOutOfTime && patience.mayHold(since: started)
                let devices = byDevice(part)
                if mayGoOn, devices.count > 1 {
                    parts += devices.reversed()
                    continue
                }
                decided.putOff(part, for: fault.description)
                decided.conflicts.formUnion(part.map(\.job.device))
                parts = decided.rest(of: parts)
                guard !mayGoOn else { continue }
                decided.isOutOfTime = true
                decided.isInterrupted = !parts.isEmpty
                return decided
            case .away:
                decided.isInterrupted = true
                return decided
            }
        }
        return decided
    }

    /// A part cut into one for each device, in the order of their first captures.
    private static func byDevice(_ part: ArraySlice<VerifiedCapture>) -> [ArraySlice<VerifiedCapture>] {
        var seen: Set<DeviceID> = []
        let devices = part.map(\.job.device).filter { seen.insert($0).inserted }
        return devices.map { device in part.filter { $0.job.device == device }[...] }
    }

    private mutating func putOff(_ part: ArraySlice<VerifiedCapture>, for fault: String) {
        for capture in part { faults[capture.job.device] = fault }
    }

    /// What is left of some parts without the devices that are put off.
    private func rest(of parts: [ArraySlice<VerifiedCapture>]) -> [ArraySlice<VerifiedCapture>] {
        parts.map { part in part.filter { faults[$0.job.device] == nil }[...] }.filter { !$0.isEmpty }
    }

    /// Asks once; a failure is an answer that cannot be read.
    ///
    /// Where the answer has words that are not known, what was asked for is done all the same. Where the record met
    /// damage of its own, somebody may mend it. Neither is a refusal.
    private static func answer(
        of store: some CaptureStore, on captures: [VerifiedCapture], _ policy: CounterPolicy
    ) async throws(StoreError) -> Result<[SettledCapture], StoreError> {
        do throws(StoreError) {
            return .success(try await store.settle(captures, policy: policy))
        } catch {
            guard error.code == .malformedRow || error.isDamage else { throw error }
            return .failure(error)
        }
    }

    /// Looks up what was decided before of captures whose bytes are gone.
    ///
    /// The worker that settled one may have been declared dead while it did, and have had the bytes removed: that is a
    /// result, and no loss.
    ///
    /// A row that cannot be read is a fault of its own capture, as when a batch is decided: the others are asked about in
    /// ever smaller parts. So they are in a conflict, until there is no more time to hold the batch; what was not found
    /// out by then has met it as well.
    ///
    /// - Parameter isAlone: Whether everything else waits meanwhile: then a conflict is not tried again.
    mutating func recall(
        _ jobs: [CaptureJob], from store: some CaptureStore, _ patience: Patience, isAlone: Bool = false
    ) async {
        guard !isInterrupted else { return }
        var parts = jobs.isEmpty ? [] : [jobs[...]]
        let started = ContinuousClock.now
        let conflictsMax = isAlone ? 0 : Patience.conflictsMax
        while let part = parts.popLast() {
            let outcome = await patience.withStore(isReading: true, conflictsMax: conflictsMax, since: started) {
                () async throws(StoreError) in
                try await store.results(of: part.map(\.id))
            }
            switch outcome {
            case .done(let results):
                for (id, result) in results {
                    decisions[id] = SettledCapture(
                        id: id, verdict: result.verdict, reason: result.reason, settledBefore: true)
                }
            case .fault(let fault):
                let mayGoOn = fault.isPermanent || !fault.isOutOfTime && patience.mayHold(since: started)
                if mayGoOn, part.count > 1 {
                    let middle = part.startIndex + part.count / 2
                    parts += [part[middle...], part[..<middle]]
                    continue
                }
                note(part, fault)
                guard !mayGoOn else { continue }
                for rest in parts { note(rest, fault) }
                isOutOfTime = true
                return
            case .away:
                isInterrupted = true
                return
            }
        }
    }

    private mutating func note(_ part: ArraySlice<CaptureJob>, _ fault: Patience.Fault) {
        for job in part {
            unrecalled[job.id] = Unrecalled(fault: fault.description, isConflict: !fault.isPermanent)
        }
    }
}
