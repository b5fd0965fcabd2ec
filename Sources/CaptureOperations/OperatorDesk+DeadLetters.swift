import CaptureModel
package import CaptureQueue
import CaptureStore

/// What is done to dead letters: noted first, and then what came of it where that differs.
extension OperatorDesk {
    /// Puts dead letters back at the ends of their devices' lanes.
    ///
    /// - Parameters:
    ///   - letters: ``lettersMax`` at the most.
    ///   - total: What came of it is added here, also when this is thrown out of.
    ///   - isStopped: Asked before each: once it is so, the rest is left as it is, which is no fault.
    package func redrive(
        _ letters: [DeadLetter], by actor: String, adding total: inout Outcome, until isStopped: () -> Bool = { false }
    ) async throws(ServerFault) {
        let (outcome, fault) = await act(.captureRedrive, on: letters, by: actor, until: isStopped) { letter in
            await redriven(letter.id)
        }
        total.add(outcome)
        if let fault { throw fault }
    }

    /// Deletes dead letters and their bytes for good.
    ///
    /// - Parameters:
    ///   - letters: ``lettersMax`` at the most.
    ///   - total: What came of it is added here, also when this is thrown out of.
    ///   - isStopped: Asked before each: once it is so, the rest is left as it is, which is no fault.
    package func discard(
        _ letters: [DeadLetter], by actor: String, adding total: inout Outcome, until isStopped: () -> Bool = { false }
    ) async throws(ServerFault) {
        var (left, isSilent) = (0, false)
        let (acted, fault) = await act(.captureDiscard, on: letters, by: actor, until: isStopped) { letter in
            let step = await discarded(letter)
            // Bytes in Redis went with the job.
            guard case .done = step, letter.bundleStore != .redis else { return step }
            guard !isSilent else {
                left += 1
                return step
            }
            do throws(QueueError) {
                if try await !hasRemovedBytes(of: letter) { left += 1 }
            } catch {
                left += 1
                // Where nothing answers, each of the others would cost its time as well.
                isSilent = error.code == .outcomeUnknown
            }
            return step
        }
        var outcome = acted
        outcome.leftToSweepMax = left
        total.add(outcome)
        if let fault { throw fault }
    }

    /// Removes the bytes of what was discarded just now; `false` where they are in a store that is not configured here.
    ///
    /// At once, and not when all are discarded: who sends the bundle again in between may get the same id, and its bytes
    /// are that one's then.
    private func hasRemovedBytes(of letter: DeadLetter) async throws(QueueError) -> Bool {
        guard let bundles, letter.bundleStore.map({ bundles.holds($0) }) ?? true else { return false }
        let status = try await queue.status(of: letter.id)
        if status == nil { try await bundles.removeSettled([letter.id]) }
        return true
    }

    private func redriven(_ capture: CaptureID) async -> Step {
        do throws(QueueError) {
            return try await queue.redrive(capture) ? .done : .missing
        } catch {
            return Step(error)
        }
    }

    /// The ledger first: the reconciler would put back what is only gone from the queue.
    ///
    /// Somebody may have put the capture back since the letters were chosen: then it keeps its row, or gets it again.
    /// Should it have its result by then, whoever claims the row in order to enqueue it closes it. If it was given up
    /// anew, nobody has decided on that.
    private func discarded(_ letter: DeadLetter) async -> Step {
        let capture = letter.id
        do throws(QueueError) {
            guard let now = try await queue.deadLetter(capture), now.diedAt == letter.diedAt else { return .missing }
        } catch {
            // Only looking: nothing was done, whatever became of the answer.
            return .interrupted(.queue(error))
        }
        var rows: [IntakeEntry] = []
        do throws(StoreError) {
            rows = try await ledger?.entries(of: [capture]) ?? []
            _ = try await ledger?.discard([capture])
        } catch {
            guard error.code == .outcomeUnknown else { return .interrupted(.store(error)) }
            // The row may be gone, and the capture is not.
            let fault = await record(rows)
            return .interrupted(.store(error), isRowless: fault != nil)
        }
        do throws(QueueError) {
            if try await queue.discard(letter.position) { return .done }
        } catch {
            let step = Step(error)
            // The row of one that may be gone would bring it back.
            guard case .interrupted(let fault, _) = step else { return step }
            let loss = await record(rows)
            return .interrupted(fault, isRowless: loss != nil)
        }
        if let fault = await record(rows) { return .interrupted(.store(fault), isRowless: true) }
        return .missing
    }

    /// Gives a capture that was not discarded its row again; the fault that has kept it from that.
    private func record(_ rows: [IntakeEntry]) async -> StoreError? {
        guard let ledger, !rows.isEmpty else { return nil }
        do throws(StoreError) {
            _ = try await ledger.record(rows.map(\.submission))
            return nil
        } catch {
            return error
        }
    }

    /// Notes it, and does it to one after the other until a fault ends it, or it is told to stop.
    private func act(
        _ action: AuditAction, on letters: [DeadLetter], by actor: String, until isStopped: () -> Bool,
        _ perform: (DeadLetter) async -> Step
    ) async -> (outcome: Outcome, fault: ServerFault?) {
        precondition(letters.count <= Self.lettersMax, "more letters than one transaction notes")
        var outcome = Outcome()
        guard !isStopped() else {
            outcome.interrupted = letters.map(\.id)
            return (outcome, nil)
        }
        do throws(ServerFault) {
            try await note(action, of: letters.map { ("\($0.id)", Self.details($0)) }, by: actor)
        } catch {
            outcome.interrupted = letters.map(\.id)
            // It may stand there all the same.
            outcome.isAuditAhead = error.isOfUnknownOutcome
            return (outcome, error)
        }
        var fault: ServerFault?
        for letter in letters {
            guard fault == nil, !isStopped() else {
                outcome.interrupted.append(letter.id)
                continue
            }
            switch await perform(letter) {
            case .done: outcome.done += 1
            case .missing: outcome.missing.append(letter.id)
            case .interrupted(let error, let isRowless):
                outcome.interrupted.append(letter.id)
                if isRowless { outcome.rowless.append(letter.id) }
                fault = error
            case .unknown(let error):
                outcome.unknown.append(letter.id)
                fault = error
            }
        }
        do throws(ServerFault) {
            try await noteMissed(action, outcome, because: fault?.description ?? "told to stop", by: actor)
        } catch {
            outcome.isAuditAhead = true
            fault = fault ?? error
        }
        return (outcome, fault)
    }

    /// What had been noted and was not done is noted as well.
    ///
    /// Not so what may be done: whoever reads the audit of a capture that is gone would take it for lost, and one that
    /// is still there is found in the queue before anybody asks the audit.
    private func noteMissed(
        _ action: AuditAction, _ outcome: Outcome, because reason: String, by actor: String
    ) async throws(ServerFault) {
        let missing = outcome.missing.map { (subject: "\($0)", details: [String: String]()) }
        let interrupted = outcome.interrupted.map { (subject: "\($0)", details: ["fault": reason]) }
        try await note(action.missed, of: missing + interrupted, by: actor)
    }

    private static func details(_ letter: DeadLetter) -> [String: String] {
        var details = ["device": "\(letter.status.device)", "attempts": "\(letter.status.attempts)"]
        details["reason"] = letter.status.reason?.rawValue
        details["fault"] = letter.status.fault
        return details
    }
}
