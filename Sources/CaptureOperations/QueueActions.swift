package import CaptureModel
package import CaptureQueue
package import CaptureStore

/// Carries out operators' actions on the queue, from any surface: each is noted in the audit before it is done.
///
/// An action that cannot be noted is not done. ``DeviceActions`` are those on devices.
///
/// ```swift
/// let actions = QueueActions(
///     queue: queue, store: store, ledger: ledger, isLedgerKept: true, bundles: bundles, now: Timestamp.systemTime)
/// let (outcome, fault) = await actions.act(.redrive, on: letters, by: "alice, ticket 4711")
/// ```
package struct QueueActions: Sendable {
    /// The queue.
    package let queue: any OperatedQueue
    /// The record.
    package let store: any CaptureStore
    /// The ledger of accepted captures, where there is one.
    package let ledger: (any IntakeLedger)?
    /// Whether each accepted capture has a row there; otherwise it may have rows of earlier times.
    package let isLedgerKept: Bool
    /// The stores of bytes that the queue does not delete itself.
    package let bundles: (any BundleStore)?
    /// The time that the audit notes.
    package let now: TimeSource

    /// Memberwise.
    package init(
        queue: any OperatedQueue, store: any CaptureStore, ledger: (any IntakeLedger)?, isLedgerKept: Bool,
        bundles: (any BundleStore)? = nil, now: @escaping TimeSource
    ) {
        self.bundles = bundles
        self.queue = queue
        self.store = store
        self.ledger = ledger
        self.isLedgerKept = isLedgerKept
        self.now = now
    }

    /// How many letters one transaction notes.
    package static let lettersMax = DeadLetterPage.lettersMax

    /// How many letters programs discard at once: half of the connections to PostgreSQL that they have by default.
    package static let discardedTogether = 4

    /// The subject of audit entries about the queue as a whole.
    package static let queueSubject = "queue"

    /// The latest pause in the audit trail, with who paused and when; `nil` if a resume followed or there is none.
    ///
    /// Actions that did not happen do not count.
    package static func lastPause(in trail: [AuditEntry]) -> AuditEntry? {
        let last = trail.lastDone(of: [.queuePause, .queueResume])
        return last?.action == AuditAction.queuePause.rawValue ? last : nil
    }

    /// Pauses or resumes all workers' claims; `false` if the queue was in that state already.
    ///
    /// If nothing is paused, a resume sends nothing to the queue: it might end a pause that has just begun, unnoted.
    package func tellQueue(to change: QueueSwitch, by actor: String) async throws(QueueSwitchFault) -> Bool {
        let isPaused: Bool
        do throws(ServerFault) {
            isPaused = try await self.isPaused()
        } catch {
            throw QueueSwitchFault(error)
        }
        let moment = now()
        if isPaused != change.isPause {
            do throws(ServerFault) {
                try await note(change.audit.rawValue, of: [(Self.queueSubject, [:])], by: actor, at: moment)
            } catch {
                // The entry may have been written all the same.
                throw QueueSwitchFault(error, isAuditAhead: error.isOfUnknownOutcome)
            }
        } else if !change.isPause {
            // A resume that failed halfway leaves partitions paused, and so the queue: the next one starts afresh.
            return false
        }
        // A pause is sent again: one that failed halfway has reached only some partitions, and is in the audit already.
        // Those keep the moment that the audit has.
        do throws(QueueError) {
            try await queue.setPaused(since: change.isPause ? moment : nil)
        } catch {
            var isAuditAhead = false
            // An action of unknown outcome may still happen, so it is not noted as missed.
            if isPaused != change.isPause, error.code != .outcomeUnknown {
                isAuditAhead = await !noteMissed(change, error, by: actor)
            }
            throw QueueSwitchFault(.queue(error), isAuditAhead: isAuditAhead)
        }
        return isPaused != change.isPause
    }

    /// Notes that the queue did not do what was noted, if so; returns whether the audit is right then.
    ///
    /// The operator is told the queue's first fault, and the audit's state beside it.
    private func noteMissed(_ change: QueueSwitch, _ fault: QueueError, by actor: String) async -> Bool {
        do throws(ServerFault) {
            let isPaused = try await isPaused()
            // Some partitions may have done it: the queue's answer counts then, and the first entry stands.
            guard isPaused != change.isPause else { return true }
            try await note(change.audit.missed, of: [(Self.queueSubject, ["fault": "\(fault)"])], by: actor)
            return true
        } catch {
            return false
        }
    }

    private func isPaused() async throws(ServerFault) -> Bool {
        try await ServerFault.askingQueue { () throws(QueueError) in try await queue.load().isPaused }
    }

    /// Writes an audit entry about each subject before the action; none if there are no subjects.
    package func note(
        _ action: AuditAction, of subjects: [(subject: String, details: [String: String])], by actor: String
    ) async throws(ServerFault) {
        try await note(action.rawValue, of: subjects, by: actor)
    }

    /// Writes entries that correct those of an action that was noted and not done; none if there are no subjects.
    package func noteMissed(
        _ action: AuditAction, of subjects: [(subject: String, details: [String: String])], by actor: String
    ) async throws(ServerFault) {
        try await note(action.missed, of: subjects, by: actor)
    }

    /// Writes the entries under an action's name, or under the name of its `missed` entry; as of now, unless told.
    func note(
        _ action: String, of subjects: [(subject: String, details: [String: String])], by actor: String,
        at moment: Timestamp? = nil
    ) async throws(ServerFault) {
        guard !subjects.isEmpty else { return }
        let moment = moment ?? now()
        let entries = subjects.map {
            AuditEntry(at: moment, actor: actor, action: action, subject: $0.subject, details: $0.details)
        }
        try await ServerFault.askingStore { () throws(StoreError) in try await store.recordAudit(entries) }
    }
}
