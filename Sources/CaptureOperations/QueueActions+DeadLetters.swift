import CaptureModel
package import CaptureQueue
import CaptureStore

/// Acts on dead letters: notes the action first, and afterwards what was not done.
extension QueueActions {
    /// Redrives or discards dead letters, page by page, until a fault or a stop request ends it.
    ///
    /// - Parameters:
    ///   - pageMax: How many letters one transaction notes, ``lettersMax`` at the most.
    ///   - together: How many are discarded at once: each waits for the disks of both servers. Those that are put back
    ///     keep their order.
    ///   - isStopped: Asked before each letter, or before so many: once it is true, the rest is left alone, which is no
    ///     fault.
    ///   - onPage: Told after each page what has come of all letters up to there.
    /// - Returns: What came of all letters, and the fault that ended it, if one did.
    package func act(
        _ verb: LetterVerb, on letters: [DeadLetter], by actor: String, pageMax: Int = QueueActions.lettersMax,
        together: Int = 1, until isStopped: () -> Bool = { false }, onPage: (Outcome) -> Void = { _ in }
    ) async -> (outcome: Outcome, fault: ServerFault?) {
        precondition(pageMax <= Self.lettersMax, "more letters than one transaction notes")
        var outcome = Outcome()
        var fault: ServerFault?
        for page in letters.pages(of: pageMax) {
            guard fault == nil else {
                outcome.interrupted += page.map(\.id)
                continue
            }
            let end: (outcome: Outcome, fault: ServerFault?)
            switch verb {
            case .redrive:
                end = await carryOut(verb, on: page, by: actor, until: isStopped) { letters in
                    var steps: [Step] = []
                    for letter in letters { steps.append(await redriven(letter)) }
                    return steps
                }
            case .discard: end = await discard(page, together: together, by: actor, until: isStopped)
            }
            outcome.add(end.outcome)
            fault = end.fault
            onPage(outcome)
        }
        return (outcome, fault)
    }

    /// Discards letters, and removes their bytes as far as they can be removed from here.
    private func discard(
        _ letters: [DeadLetter], together: Int, by actor: String, until isStopped: () -> Bool
    ) async -> (outcome: Outcome, fault: ServerFault?) {
        var (left, isSilent) = (0, false)
        var end = await carryOut(.discard, on: letters, together: together, by: actor, until: isStopped) { letters in
            // If the store does not answer, each further letter would cost its time as well.
            let ends = await discardedWithBytes(letters, asksStore: !isSilent)
            left += ends.count { $0.isLeft }
            isSilent = isSilent || ends.contains { $0.isSilent }
            return ends.map(\.step)
        }
        end.outcome.leftToSweepMax = left
        return end
    }

    /// Discards letters at once, and returns what came of each, in their order.
    private func discardedWithBytes(_ letters: [DeadLetter], asksStore: Bool) async -> [DiscardEnd] {
        await withTaskGroup(of: (index: Int, end: DiscardEnd).self) { group in
            for (index, letter) in letters.enumerated() {
                group.addTask { (index, await discardedWithBytes(letter, asksStore: asksStore)) }
            }
            var ends: [(index: Int, end: DiscardEnd)] = []
            for await end in group { ends.append(end) }
            return ends.sorted { $0.index < $1.index }.map(\.end)
        }
    }

    private func discardedWithBytes(_ letter: DeadLetter, asksStore: Bool) async -> DiscardEnd {
        // Bytes in Redis go with the job.
        guard letter.bundleStore != .redis else { return DiscardEnd(step: await discarded(letter)) }
        var removal: BundleRemoval?
        var isSilent = false
        do throws(QueueError) {
            if asksStore { removal = try await self.removal(of: letter) }
        } catch {
            isSilent = error.code == .outcomeUnknown
        }
        let step = await discarded(letter)
        guard case .done = step else { return DiscardEnd(step: step, isSilent: isSilent) }
        do throws(QueueError) {
            let isLeft = try await !hasRemovedBytes(of: letter, by: removal)
            return DiscardEnd(step: step, isLeft: isLeft, isSilent: isSilent)
        } catch {
            return DiscardEnd(step: step, isLeft: true, isSilent: error.code == .outcomeUnknown)
        }
    }

    private func redriven(_ letter: DeadLetter) async -> Step {
        let accepted: CaptureSubmission?
        let isRecorded: Bool
        do throws(ServerFault) {
            accepted = try await acceptedUnlikeJob(letter)
            isRecorded = try await isRecordedAgain(letter)
        } catch {
            return .interrupted(error)
        }
        do throws(QueueError) {
            let isBack: Bool
            if let accepted {
                isBack = try await queue.redrive(as: accepted)
            } else {
                isBack = try await queue.redrive(letter.id, from: letter.status.device)
            }
            if isBack { return .done }
        } catch {
            return Step(error)
        }
        guard isRecorded else { return .missing() }
        do throws(ServerFault) {
            try await withdrawIfGone(letter.id)
            return .missing()
        } catch {
            return .interrupted(error)
        }
    }

    /// Discards in the ledger first: the reconciler would put back a capture that is only gone from the queue.
    ///
    /// Somebody may have put the capture back since the letters were chosen: then it keeps its row, or gets it back.
    /// If it has its result by then, whoever claims the row to enqueue it closes it. If it became a dead letter anew,
    /// nobody has decided about that one.
    private func discarded(_ letter: DeadLetter) async -> Step {
        let capture = letter.id
        do throws(QueueError) {
            guard let now = try await queue.deadLetter(capture), now.diedAt == letter.diedAt else { return .missing() }
        } catch {
            // This only read: nothing was done, even if the answer was lost.
            return .interrupted(.queue(error))
        }
        var row: IntakeEntry?
        do throws(StoreError) {
            // Read first, in case only the discard's answer is lost.
            row = try await ledger?.entries(of: [capture]).first
            row = try await ledger?.discard(capture)
        } catch {
            guard error.code == .outcomeUnknown else { return .interrupted(.store(error)) }
            // The row may be gone although the capture is not.
            let fault = await reinstate(row)
            return .interrupted(.store(error), isRowless: fault != nil)
        }
        do throws(QueueError) {
            if try await queue.discard(letter.position) { return .done }
        } catch {
            switch Step(error) {
            case .unknown(let fault, _):
                return .unknown(fault, isRowless: await isRowless(capture, row))
            case .interrupted(let fault, _):
                let loss = await reinstate(row)
                return .interrupted(fault, isRowless: loss != nil)
            case let step: return step
            }
        }
        guard let fault = await reinstate(row) else { return .missing() }
        // The bundle was recorded as another capture meanwhile: that concerns this letter alone.
        if fault.code == .refused, fault.scope == .content { return .missing(isRowless: true) }
        return .interrupted(.store(fault), isRowless: true)
    }

    /// Notes the action, and does it to some letters after others until a fault or a stop request ends it.
    private func carryOut(
        _ verb: LetterVerb, on letters: [DeadLetter], together: Int = 1, by actor: String, until isStopped: () -> Bool,
        _ perform: ([DeadLetter]) async -> [Step]
    ) async -> (outcome: Outcome, fault: ServerFault?) {
        var outcome = Outcome()
        guard !isStopped() else {
            outcome.interrupted = letters.map(\.id)
            return (outcome, nil)
        }
        do throws(ServerFault) {
            try await note(verb.audit, of: letters.map { ("\($0.id)", Self.details($0)) }, by: actor)
        } catch {
            outcome.interrupted = letters.map(\.id)
            // The entries may have been written all the same.
            outcome.isAuditAhead = error.isOfUnknownOutcome
            return (outcome, error)
        }
        var faults: [CaptureID: ServerFault] = [:]
        var fault: ServerFault?
        for group in letters.pages(of: together) {
            guard fault == nil, !isStopped() else {
                outcome.interrupted += group.map(\.id)
                continue
            }
            for (letter, step) in zip(group, await perform(group)) {
                guard let error = outcome.note(step, of: letter.id) else { continue }
                faults[letter.id] = error
                fault = fault ?? error
            }
        }
        do throws(ServerFault) {
            let rest = fault?.description ?? "told to stop"
            try await noteMissed(verb.audit, outcome, because: faults, otherwise: rest, by: actor)
        } catch {
            outcome.isAuditAhead = true
            fault = fault ?? error
        }
        return (outcome, fault)
    }

    /// Notes which letters were noted and then left alone.
    ///
    /// Letters of unknown outcome are not noted: if such a capture is gone, a reader of the audit would take it for
    /// lost; if it is still there, it is found in the queue before anybody asks the audit.
    /// - Parameters:
    ///   - faults: Those that letters met themselves.
    ///   - rest: Why the others were left alone.
    private func noteMissed(
        _ action: AuditAction, _ outcome: Outcome, because faults: [CaptureID: ServerFault], otherwise rest: String,
        by actor: String
    ) async throws(ServerFault) {
        let missing = outcome.missing.map { (subject: "\($0)", details: [String: String]()) }
        let interrupted = outcome.interrupted.map {
            (subject: "\($0)", details: ["fault": faults[$0]?.description ?? rest])
        }
        try await note(action.missed, of: missing + interrupted, by: actor)
    }

    private static func details(_ letter: DeadLetter) -> [String: String] {
        var details = ["device": "\(letter.status.device)", "attempts": "\(letter.status.attempts)"]
        details["reason"] = letter.status.reason?.rawValue
        details["fault"] = letter.status.fault
        return details
    }
}
