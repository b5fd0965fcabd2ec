public import CaptureModel
public import CaptureQueue
public import CaptureStore

/// What operators do to the queue, wherever they sit: noted in the audit before it is done.
///
/// So what cannot be noted is not done. What they do to devices is the ``DeviceDesk``'s.
///
/// ```swift
/// let desk = OperatorDesk(queue: queue, store: store, ledger: ledger, bundles: bundles, now: Timestamp.systemTime)
/// let outcome = try await desk.redrive(letters, by: "alice, ticket 4711")
/// ```
public struct OperatorDesk: Sendable {
    /// Why something was not done.
    public enum Fault: Error, CustomStringConvertible {
        /// The queue did not do it.
        case queue(QueueError)
        /// The record did not do it, or did not note it.
        case store(StoreError)

        /// The fault behind it.
        public var description: String {
            switch self {
            case .queue(let error): "\(error)"
            case .store(let error): "\(error)"
            }
        }

        /// Whether it may have been done all the same.
        var isOfUnknownOutcome: Bool {
            switch self {
            case .queue(let error): error.code == .outcomeUnknown
            case .store(let error): error.code == .outcomeUnknown
            }
        }
    }

    /// What came of something that was done to several dead letters.
    public struct Outcome: Sendable, Equatable {
        /// How many it was done to.
        public var done = 0
        /// Those that were no dead letters any more.
        public var missing: [CaptureID] = []
        /// Those that a fault has kept it from; of the first one nobody knows whether it was done.
        public var interrupted: [CaptureID] = []
        /// Whether the audit names some as done that were not: it could not be told afterwards.
        public var isAuditAhead = false
        /// How many of the discarded have bytes left at the most: some could not be removed now, and workers sweep
        /// them after a while.
        public var leftToSweepMax = 0

        /// Starts with nothing done.
        public init() {}

        /// Adds what came of more of them.
        mutating func add(_ other: Outcome) {
            done += other.done
            missing += other.missing
            interrupted += other.interrupted
            isAuditAhead = isAuditAhead || other.isAuditAhead
            leftToSweepMax += other.leftToSweepMax
        }
    }

    /// The queue.
    public let queue: any OperatedQueue
    /// The record.
    public let store: any CaptureStore
    /// The ledger of accepted captures, where there is one.
    public let ledger: (any IntakeLedger)?
    /// Where bytes are that the queue does not delete itself.
    public let bundles: (any BundleStore)?
    /// The time that the audit notes.
    public let now: TimeSource

    /// Puts a desk together.
    public init(
        queue: any OperatedQueue, store: any CaptureStore, ledger: (any IntakeLedger)?,
        bundles: (any BundleStore)? = nil, now: @escaping TimeSource
    ) {
        self.bundles = bundles
        self.queue = queue
        self.store = store
        self.ledger = ledger
        self.now = now
    }

    /// Tells all workers to claim nothing, or to go on; `false` when it was so already.
    public func setPaused(_ paused: Bool, by actor: String) async throws(Fault) -> Bool {
        let isPaused = try await queued { () throws(QueueError) in try await queue.load().isPaused }
        if isPaused != paused {
            try await note(paused ? "queue.pause" : "queue.resume", of: [("queue", [:])], by: actor)
        }
        // Said again in any case: one that broke off has reached some partitions only, and is in the audit already.
        try await queued { () throws(QueueError) in try await queue.setPaused(paused) }
        return isPaused != paused
    }

    /// Puts dead letters back at the ends of their devices' lanes.
    /// - Parameter letters: As many as one transaction may note: 1,000 at the most.
    public func redrive(_ letters: [DeadLetter], by actor: String) async throws(Fault) -> Outcome {
        var outcome = Outcome()
        try await redrive(letters, by: actor, adding: &outcome)
        return outcome
    }

    /// The same for whoever has to tell how far it came, also when it is thrown out of.
    /// - Parameter total: What came of it is added here.
    public func redrive(
        _ letters: [DeadLetter], by actor: String, adding total: inout Outcome
    ) async throws(Fault) {
        let (outcome, fault) = await act("capture.redrive", on: letters, by: actor) { capture throws(Fault) in
            try await queued { () throws(QueueError) in try await queue.redrive(capture) }
        }
        total.add(outcome)
        if let fault { throw fault }
    }

    /// Deletes dead letters and their bytes for good.
    /// - Parameter letters: As many as one transaction may note: 1,000 at the most.
    public func discard(_ letters: [DeadLetter], by actor: String) async throws(Fault) -> Outcome {
        var outcome = Outcome()
        try await discard(letters, by: actor, adding: &outcome)
        return outcome
    }

    /// The same for whoever has to tell how far it came, also when it is thrown out of.
    /// - Parameter total: What came of it is added here.
    public func discard(
        _ letters: [DeadLetter], by actor: String, adding total: inout Outcome
    ) async throws(Fault) {
        let (acted, fault) = await act("capture.discard", on: letters, by: actor) { capture throws(Fault) in
            try await discard(capture)
        }
        var outcome = acted
        outcome.leftToSweepMax = await removeBytes(of: letters, discardedAs: outcome)
        total.add(outcome)
        if let fault { throw fault }
    }

    /// Removes the bytes of what was discarded; of how many they may be left for the workers to sweep.
    private func removeBytes(of letters: [DeadLetter], discardedAs outcome: Outcome) async -> Int {
        let kept = Set(outcome.missing + outcome.interrupted)
        // Those in Redis went with their jobs.
        let elsewhere = letters.filter { $0.bundleStore != BundleStoreName.redis.rawValue && !kept.contains($0.id) }
        do throws(QueueError) {
            // Somebody may have sent one again meanwhile: its bytes are that one's now.
            let states = try await queue.status(of: elsewhere.map(\.id))
            try await bundles?.removeSettled(zip(elsewhere, states).filter { $0.1 == nil }.map(\.0.id))
            return 0
        } catch {
            // Which of them it was is not told.
            return elsewhere.count
        }
    }

    /// The ledger first: the reconciler would put back what is only gone from the queue.
    ///
    /// Somebody may have put the capture back since the letters were chosen: then it keeps its row, or gets it again.
    /// Should it have its result by then, whoever claims the row in order to enqueue it closes it.
    private func discard(_ capture: CaptureID) async throws(Fault) -> Bool {
        let isDead = try await queued { () throws(QueueError) in try await queue.deadLetter(capture) != nil }
        guard isDead else { return false }
        let rows = try await stored { () throws(StoreError) in
            let rows = try await ledger?.entries(of: [capture]) ?? []
            _ = try await ledger?.discard([capture])
            return rows
        }
        if try await queued({ () throws(QueueError) in try await queue.discard(capture) }) { return true }
        try await stored { () throws(StoreError) in _ = try await ledger?.record(rows.map(\.submission)) }
        return false
    }

    /// Notes it, and does it to one after the other until a fault ends it.
    private func act(
        _ action: String, on letters: [DeadLetter], by actor: String,
        _ perform: (CaptureID) async throws(Fault) -> Bool
    ) async -> (outcome: Outcome, fault: Fault?) {
        var outcome = Outcome()
        do throws(Fault) {
            try await note(action, of: letters.map { ("\($0.id)", Self.details($0)) }, by: actor)
        } catch {
            outcome.interrupted = letters.map(\.id)
            // It may stand there all the same.
            outcome.isAuditAhead = error.isOfUnknownOutcome
            return (outcome, error)
        }
        var fault: Fault?
        for letter in letters {
            guard fault == nil else {
                outcome.interrupted.append(letter.id)
                continue
            }
            do throws(Fault) {
                if try await perform(letter.id) { outcome.done += 1 } else { outcome.missing.append(letter.id) }
            } catch {
                fault = error
                outcome.interrupted.append(letter.id)
            }
        }
        do throws(Fault) {
            try await noteMissed(action, outcome, because: fault, by: actor)
        } catch {
            outcome.isAuditAhead = true
            fault = fault ?? error
        }
        return (outcome, fault)
    }

    /// What had been noted and was not done is noted as well.
    private func noteMissed(
        _ action: String, _ outcome: Outcome, because fault: Fault?, by actor: String
    ) async throws(Fault) {
        let details = fault.map { ["fault": $0.description] } ?? [:]
        let missing = outcome.missing.map { (subject: "\($0)", details: [String: String]()) }
        let interrupted = outcome.interrupted.map { (subject: "\($0)", details: details) }
        try await note("\(action).missed", of: missing + interrupted, by: actor)
    }

    private static func details(_ letter: DeadLetter) -> [String: String] {
        var details = ["device": "\(letter.status.device)", "attempts": "\(letter.status.attempts)"]
        details["reason"] = letter.status.reason?.rawValue
        details["fault"] = letter.status.fault
        return details
    }

    /// Notes what is about to be done to each of the subjects; nothing when there is none.
    public func note(
        _ action: String, of subjects: [(subject: String, details: [String: String])], by actor: String
    ) async throws(Fault) {
        guard !subjects.isEmpty else { return }
        let moment = now()
        let entries = subjects.map {
            AuditEntry(at: moment, actor: actor, action: action, subject: $0.subject, details: $0.details)
        }
        try await stored { () throws(StoreError) in try await store.recordAudit(entries) }
    }

    private func queued<Value>(_ body: () async throws(QueueError) -> Value) async throws(Fault) -> Value {
        do { return try await body() } catch { throw .queue(error) }
    }

    private func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(Fault) -> Value {
        do { return try await body() } catch { throw .store(error) }
    }
}
