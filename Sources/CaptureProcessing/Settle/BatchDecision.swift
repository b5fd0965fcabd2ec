import Bisection
import CaptureModel
import CaptureStore

/// The record's answer about the examined captures of a batch, capture by capture.
struct BatchDecision: Sendable {
    /// How far the record came.
    enum Extent: Sendable {
        /// Each capture has its result or is refused, or its device has a fault.
        case whole
        /// As `whole`, but conflicts took all the time for which a batch is held.
        case late
        /// Captures are left with none of these: the record stayed away, or conflicts took all the time.
        case partial
    }

    /// The captures that have their result.
    var settled: [CaptureID: SettledCapture] = [:]
    /// The captures that are refused for good, and why.
    var refused: [CaptureID: String] = [:]
    /// Devices with captures that are not decided, and why: a conflict, damage, or an answer that cannot be read.
    var deviceFaults: [DeviceID: Patience.Fault] = [:]
    /// How far the record came.
    var extent = Extent.whole

    /// Asks the record about a batch.
    ///
    /// A batch is halved until the culprit is alone when the record refuses it for good, gives an answer that cannot be
    /// read, or meets damage of its own: one bad capture must not keep the others from being decided. The first half is
    /// decided before the second, so that the captures of a key keep their order.
    ///
    /// When a batch of several devices meets a conflict, it is divided at once into one part per device: most often
    /// only one device's row is locked. Each part may wait for a lock as long. When the time to hold the batch is used
    /// up, the untried parts are left. When a conflict or damage keeps a capture from being decided, the later captures
    /// of its device wait with it.
    ///
    /// At most two transactions for each capture, not counting retries.
    ///
    /// - Parameter conflictsMax: How many conflicts with what others do are tried again.
    static func of(
        _ store: some CaptureStore, on captures: [ExaminedCapture], _ policy: CounterPolicy, _ patience: Patience,
        conflictsMax: Int = Patience.conflictsMax
    ) async -> BatchDecision {
        var decided = BatchDecision()
        var parts = Bisection(captures)
        let started = patience.now()
        let areOfSeveral = captures.dropFirst().contains { $0.job.device != captures[0].job.device }
        let conflictsMax = areOfSeveral ? 0 : conflictsMax
        while let part = parts.next() {
            let outcome = await patience.withStore(conflictsMax: conflictsMax, since: started) {
                () async throws(StoreError) in
                try await answer(of: store, on: Array(part), policy)
            }
            switch outcome {
            case .done(.success(let settled)):
                for capture in settled { decided.settled[capture.id] = capture }
            case .done(.failure(let fault)):
                guard !parts.halve(part) else { continue }
                decided.putOff(part, for: Patience.Fault(fault.description))
                if fault.isDamage { decided.leaveOut(of: &parts) }
            case .fault(let fault) where !fault.isConflict:
                guard !parts.halve(part) else { continue }
                for capture in part { decided.refused[capture.job.id] = fault.description }
            case .fault(let fault):
                let mayGoOn = !fault.isOutOfTime && patience.mayHold(since: started)
                let devices = byDevice(part)
                if mayGoOn, devices.count > 1 {
                    parts.putFirst(devices)
                    continue
                }
                decided.putOff(part, for: fault)
                decided.leaveOut(of: &parts)
                guard !mayGoOn else { continue }
                decided.extent = parts.isEmpty ? .late : .partial
                return decided
            case .away:
                decided.extent = .partial
                return decided
            }
        }
        return decided
    }

    /// A part cut into one for each device, in the order of their first captures.
    private static func byDevice(_ part: ArraySlice<ExaminedCapture>) -> [ArraySlice<ExaminedCapture>] {
        var seen: Set<DeviceID> = []
        let devices = part.map(\.job.device).filter { seen.insert($0).inserted }
        return devices.map { device in part.filter { $0.job.device == device }[...] }
    }

    private mutating func putOff(_ part: ArraySlice<ExaminedCapture>, for fault: Patience.Fault) {
        for capture in part { deviceFaults[capture.job.device] = fault }
    }

    /// Takes the captures of devices that are put off out of the parts that are not tried yet.
    private func leaveOut(of parts: inout Bisection<ExaminedCapture>) {
        parts.drop { deviceFaults[$0.job.device] != nil }
    }

    /// Asks once; a failure is an answer that cannot be read.
    ///
    /// If the answer has unknown words, the transaction is committed all the same. If the record met damage of its own,
    /// somebody may mend it. Neither is a refusal.
    private static func answer(
        of store: some CaptureStore, on captures: [ExaminedCapture], _ policy: CounterPolicy
    ) async throws(StoreError) -> Result<[SettledCapture], StoreError> {
        do throws(StoreError) {
            return .success(try await store.settle(captures, policy: policy))
        } catch {
            guard error.code == .malformedRow || error.isDamage else { throw error }
            return .failure(error)
        }
    }
}
