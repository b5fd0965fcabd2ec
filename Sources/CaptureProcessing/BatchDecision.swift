import CaptureModel
import CaptureStore

/// The record's answer to a batch, capture by capture.
struct BatchDecision: Sendable {
    /// Why the record cannot say whether a capture has a result.
    struct Unrecalled: Sendable {
        let fault: String
        /// Whether the record met a conflict, which is no fault of the capture.
        let isConflict: Bool
    }

    /// The record's decisions.
    var decisions: [CaptureID: SettledCapture] = [:]
    /// The captures that the record refuses for good, with the reason.
    var refusals: [CaptureID: String] = [:]
    /// Devices whose captures got neither, with the reason: a conflict, damage, or an answer that cannot be read.
    var faults: [DeviceID: String] = [:]
    /// The devices in ``faults`` that met a conflict: no fault of their captures, however long it lasts.
    var conflicts: Set<DeviceID> = []
    /// Captures whose bytes are gone and of which the record cannot say whether they have a result.
    var unrecalled: [CaptureID: Unrecalled] = [:]
    /// Whether captures are left with none of these: the record stayed away, or conflicts took all the time.
    var isInterrupted = false
    /// Whether the record stayed away before it had said which captures without bytes have a result; then it was asked
    /// nothing else.
    var isRecallInterrupted = false
    /// Whether conflicts took all the time for which a batch is held.
    var isOutOfTime = false

    /// Asks the record about a batch.
    ///
    /// A batch is halved until the culprit is alone when the record refuses it for good, gives an answer that cannot be
    /// read, or meets damage of its own: one bad capture must not drag the others with it. The first half is decided
    /// before the second, so that the captures of a key keep their order.
    ///
    /// When a batch of several devices meets a conflict, it is divided at once into one part per device: most often
    /// only one device's row is locked. Each part may wait for a lock as long. When the time to hold the batch is used
    /// up, the untried parts are left. When a conflict or damage keeps a capture from being decided, the later captures
    /// of its device wait with it.
    ///
    /// At most two transactions for each capture, not counting retries.
    ///
    /// - Parameters:
    ///   - recalled: The earlier decisions about captures whose bytes are gone.
    ///   - conflictsMax: How many conflicts with what others do are tried again.
    static func of(
        _ store: some CaptureStore, on captures: [VerifiedCapture], _ policy: CounterPolicy, _ patience: Patience,
        after recalled: BatchDecision = BatchDecision(), conflictsMax: Int = Patience.conflictsMax
    ) async -> BatchDecision {
        var decided = recalled
        guard !decided.isInterrupted else { return decided }
        var parts = captures.isEmpty ? [] : [captures[...]]
        let started = ContinuousClock.now
        let areOfSeveral = captures.dropFirst().contains { $0.job.device != captures[0].job.device }
        let conflictsMax = areOfSeveral ? 0 : conflictsMax
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
    /// If the answer has unknown words, the transaction is committed all the same. If the record met damage of its own,
    /// somebody may mend it. Neither is a refusal.
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

    /// Looks up earlier decisions about captures whose bytes are gone.
    ///
    /// A worker may have settled a capture and had its bytes removed while it was being declared dead: then the capture
    /// has a result and is not lost.
    ///
    /// It comes before the batch is decided: as long as nobody knows whether a capture is to be given up, no later one
    /// of its device may be decided. Its counter would be stale once its bytes have come again.
    ///
    /// A row that cannot be read is a fault of its own capture, as when a batch is decided, so the batch is halved to
    /// find it. After a conflict it is halved too, until the time to hold the batch is used up; the captures still
    /// unasked then count as having met the conflict.
    ///
    /// - Parameter conflictsMax: How many conflicts with what others do are tried again.
    mutating func recall(
        _ jobs: [CaptureJob], from store: some CaptureStore, _ patience: Patience,
        conflictsMax: Int = Patience.conflictsMax
    ) async {
        var parts = jobs.isEmpty ? [] : [jobs[...]]
        let started = ContinuousClock.now
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
                (isInterrupted, isRecallInterrupted) = (true, true)
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
