package import CaptureModel
package import CaptureQueue
package import CaptureStore

/// What operators do to the queue, wherever they sit: noted in the audit before it is done.
///
/// So what cannot be noted is not done. What they do to devices is the ``DeviceDesk``'s.
///
/// ```swift
/// let desk = OperatorDesk(queue: queue, store: store, ledger: ledger, bundles: bundles, now: Timestamp.systemTime)
/// var outcome = OperatorDesk.Outcome()
/// try await desk.redrive(letters, by: "alice, ticket 4711", adding: &outcome)
/// ```
package struct OperatorDesk: Sendable {
    /// The queue.
    package let queue: any OperatedQueue
    /// The record.
    package let store: any CaptureStore
    /// The ledger of accepted captures, where there is one.
    package let ledger: (any IntakeLedger)?
    /// Where bytes are that the queue does not delete itself.
    package let bundles: (any BundleStore)?
    /// The time that the audit notes.
    package let now: TimeSource

    /// Puts a desk together.
    package init(
        queue: any OperatedQueue, store: any CaptureStore, ledger: (any IntakeLedger)?,
        bundles: (any BundleStore)? = nil, now: @escaping TimeSource
    ) {
        self.bundles = bundles
        self.queue = queue
        self.store = store
        self.ledger = ledger
        self.now = now
    }

    /// How many letters one call takes: they are noted in one transaction.
    package static let lettersMax = DeadLetterPage.lettersMax

    /// What the audit has of the queue as a whole, latest first, as ``pause(in:)`` reads it.
    package static let queueSubject = "queue"

    /// Who paused the queue and when, as its trail in the audit has it; `nil` where the latest was a resume.
    ///
    /// What did not come about does not count.
    package static func pause(in trail: [AuditEntry]) -> AuditEntry? {
        let last = trail.lastDone(of: [.queuePause, .queueResume])
        return last?.action == AuditAction.queuePause.rawValue ? last : nil
    }

    /// Tells all workers to claim nothing, or to go on; `false` when it was so already.
    ///
    /// Where nothing is paused, a resume tells the queue nothing: it might end a pause that has just begun, unnoted.
    /// - Parameter isAuditAhead: Set, also when this is thrown out of, where the audit may have it as done although it was
    ///   not: it could not be told afterwards.
    package func tellQueue(
        to change: QueueSwitch, by actor: String, isAuditAhead: inout Bool
    ) async throws(ServerFault) -> Bool {
        let isPaused = try await isPaused()
        if isPaused != change.isPause {
            do throws(ServerFault) {
                try await note(change.audit, of: [(Self.queueSubject, [:])], by: actor)
            } catch {
                // It may stand there all the same.
                isAuditAhead = error.isOfUnknownOutcome
                throw error
            }
        } else if !change.isPause {
            // A resume that broke off has left partitions paused, and so the queue: the next one begins anew.
            return false
        }
        // A pause is said again: one that broke off has reached some partitions only, and is in the audit already.
        do throws(QueueError) {
            try await queue.setPaused(change.isPause)
        } catch {
            // What may come about yet is not missed.
            if isPaused != change.isPause, error.code != .outcomeUnknown {
                isAuditAhead = await !noteMissed(change, error, by: actor)
            }
            throw .queue(error)
        }
        return isPaused != change.isPause
    }

    /// Notes that the queue did not do what had been noted, where that is so; whether the audit is right then.
    ///
    /// What the operator is told is the queue's first fault, with the audit's state beside it.
    private func noteMissed(_ change: QueueSwitch, _ fault: QueueError, by actor: String) async -> Bool {
        do throws(ServerFault) {
            let isPaused = try await isPaused()
            // Some partitions may have done it: what the queue says then counts, and the first note stands.
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

    /// Notes what is about to be done to each of the subjects; nothing when there is none.
    package func note(
        _ action: AuditAction, of subjects: [(subject: String, details: [String: String])], by actor: String
    ) async throws(ServerFault) {
        try await note(action.rawValue, of: subjects, by: actor)
    }

    /// Notes it under a name that the audit has for it, or for what was missed of it.
    func note(
        _ action: String, of subjects: [(subject: String, details: [String: String])], by actor: String
    ) async throws(ServerFault) {
        guard !subjects.isEmpty else { return }
        let moment = now()
        let entries = subjects.map {
            AuditEntry(at: moment, actor: actor, action: action, subject: $0.subject, details: $0.details)
        }
        try await ServerFault.askingStore { () throws(StoreError) in try await store.recordAudit(entries) }
    }
}
