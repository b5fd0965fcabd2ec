import CaptureModel
import CaptureStore

/// What the record said to a batch, capture by capture.
struct BatchDecision: Sendable {
    /// Why captures are left without a decision.
    enum Interruption: Sendable, Equatable {
        /// The record stayed away for too long.
        case away
        /// The record refused again and again what may succeed later, or its answer cannot be read.
        case fault(String)
    }

    /// What it decided.
    var decisions: [CaptureID: SettledCapture] = [:]
    /// What it refuses for good, and why.
    var refusals: [CaptureID: String] = [:]
    /// Why the rest has neither; `nil` when there is no rest.
    var interruption: Interruption?

    /// Asks the record about a batch.
    ///
    /// A batch that is refused for good, whose answer cannot be read, or with which the record meets damage of its own,
    /// is divided until the culprit is alone: one that the record cannot take must not drag the others with it. At most
    /// two transactions for each capture. The first half is decided before the second, so that the captures of a key keep
    /// their order; behind one that damage keeps from being decided its device's others wait with it.
    static func of(
        _ store: some CaptureStore, on captures: [VerifiedCapture], _ policy: CounterPolicy, _ patience: Patience
    ) async -> BatchDecision {
        var decided = BatchDecision()
        var parts = captures.isEmpty ? [] : [captures[...]]
        while let part = parts.popLast() {
            let outcome = await patience.withStore { () async throws(StoreError) in
                try await answer(of: store, on: Array(part), policy)
            }
            let middle = part.startIndex + part.count / 2
            switch outcome {
            case .done(.success(let settled)):
                for decision in settled { decided.decisions[decision.id] = decision }
            case .done(.failure) where part.count > 1:
                parts += [part[middle...], part[..<middle]]
            case .done(.failure(let fault)):
                decided.interruption = .fault(fault.description)
                guard fault.isDamage, let device = part.first?.job.device else { continue }
                parts = parts.map { $0.filter { $0.job.device != device }[...] }.filter { !$0.isEmpty }
            case .fault(let fault) where fault.isPermanent && part.count > 1:
                parts += [part[middle...], part[..<middle]]
            case .fault(let fault) where fault.isPermanent:
                for capture in part { decided.refusals[capture.job.id] = fault.description }
            case .fault(let fault):
                decided.interruption = .fault(fault.description)
                return decided
            case .away:
                decided.interruption = .away
                return decided
            }
        }
        return decided
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
    mutating func recall(_ captures: [CaptureID], from store: some CaptureStore, _ patience: Patience) async {
        guard !captures.isEmpty, interruption == nil else { return }
        let outcome = await patience.withStore(isReading: true) { () async throws(StoreError) in
            try await store.results(of: captures)
        }
        switch outcome {
        case .done(let results):
            for (id, result) in results {
                decisions[id] = SettledCapture(
                    id: id, verdict: result.verdict, reason: result.reason, settledBefore: true)
            }
        case .fault(let fault): interruption = .fault(fault.description)
        case .away: interruption = .away
        }
    }
}
