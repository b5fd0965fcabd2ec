import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import RedisCaptureQueue

/// Repairs what can be repaired.
extension Doctor {
    /// Audit entries that one transaction writes.
    private static let entriesMax = 100

    /// Examines, repairs what is wrong, and examines again, unless a fault or a stop request has ended the repair.
    ///
    /// Nothing is repaired unless the audit has noted it before. What was noted and not repaired is noted as missed.
    func repair(by actor: String) async throws -> DoctorReport {
        let first = try await view()
        var looks = [first]
        var outcome = RepairOutcome()
        // Once the functions are loaded, what they find is repaired, too.
        for round in 0..<(first.hasFunctions ? 1 : 2) {
            let last = looks[round]
            // A full Redis keeps an older library.
            guard round == 0 || last.hasFunctions, !last.repairs.isEmpty, stop.signal == nil else { break }
            let end = await carryOut(last, by: actor)
            outcome.add(end)
            looks.append(try await lookAgain(after: end.fault))
        }
        return outcome.report(looks)
    }

    /// Looks again; after a fault or a stop request only at what needs no server.
    private func lookAgain(after fault: ServerFault?) async throws -> View {
        guard fault != nil || stop.signal != nil else { return try await view() }
        var view = View(stop: stop)
        if let fault { try view.note(fault) }
        if let files = await WriteCheck(session: session).files() { view.add(files) }
        view.conclude(hasFiles: session.files != nil)
        return view
    }

    /// Notes what can be repaired, repairs it, and notes what was missed.
    private func carryOut(_ before: View, by actor: String) async -> RepairOutcome {
        var outcome = RepairOutcome()
        do throws(ServerFault) {
            try await note(before.repairs, by: actor, &outcome)
            try await ServerFault.askingQueue { () async throws(QueueError) -> Void in
                if before.hasFunctions {
                    try await mend(before, &outcome)
                } else {
                    try await loadFunctions(&outcome)
                }
            }
        } catch {
            outcome.fault = error
        }
        await noteMissed(by: actor, &outcome)
        return outcome
    }

    /// Notes in the audit what will be repaired, page by page.
    private func note(
        _ repairs: [Repairable], by actor: String, _ outcome: inout RepairOutcome
    ) async throws(ServerFault) {
        var entries = [Self.entry(of: repairs.count)]
        for page in repairs.pages(of: Self.entriesMax) where stop.signal == nil {
            entries += page.map { (subject: $0.subject, details: ["fault": $0.fault]) }
            do throws(ServerFault) {
                // The doctor has looked itself whose queue it is.
                try await session.actions(on: session.queue).note(.queueRepair, of: entries, by: actor)
            } catch {
                // The entries may have been written all the same.
                outcome.isAuditAhead = error.isOfUnknownOutcome
                throw error
            }
            outcome.noted += page
            entries = []
        }
    }

    private func noteMissed(by actor: String, _ outcome: inout RepairOutcome) async {
        let missed = outcome.missed
        guard !missed.isEmpty else { return }
        let reason = outcome.fault?.description ?? (stop.signal == nil ? "it was still there" : "told to stop")
        var entries = [Self.entry(of: missed.count)]
        do throws(ServerFault) {
            for page in missed.pages(of: Self.entriesMax) {
                entries += page.map { (subject: $0.subject, details: ["fault": $0.fault, "reason": reason]) }
                try await session.actions(on: session.queue).noteMissed(.queueRepair, of: entries, by: actor)
                entries = []
            }
        } catch {
            outcome.isAuditAhead = true
            outcome.fault = outcome.fault ?? error
        }
    }

    private static func entry(of count: Int) -> (subject: String, details: [String: String]) {
        (QueueActions.queueSubject, ["findings": "\(count)"])
    }

    private func loadFunctions(_ outcome: inout RepairOutcome) async throws(QueueError) {
        guard stop.signal == nil else { return }
        try await outcome.attempt([.library]) { () async throws(QueueError) in
            if case .kept = try await FunctionLibrary.current.install(on: session.redis) { return false }
            return true
        }
    }

    /// Repairs the findings and those that the repair uncovers, until it is told to stop.
    private func mend(_ before: View, _ outcome: inout RepairOutcome) async throws(QueueError) {
        guard let examination = before.examination else { return }
        var rules = MendingRules()
        rules.orphanAge = orphanAge
        rules.settled = before.settledGone
        let forgotten = unsettled(before)
        // Their bytes are no leftovers of settled captures.
        let left = before.settledLost.untouchable.union(forgotten.map(\.capture.description))
        _ = try await mend(examination.findings.filter { !left.contains($0.subject) }, rules, &outcome)
        try await redrive(before.settledDead, &outcome)
        for page in forgotten.pages(of: Self.entriesMax) where stop.signal == nil {
            try await outcome.attempt(page.map(\.repair)) { () async throws(QueueError) in
                try await queueDoctor.forgetSettled(page.map { ($0.capture, $0.partition) })
                return true
            }
        }
        guard let between = try await examineAgain() else { return }
        let levels = between.findings.filter { $0.fault == .levelWrong }.map { Repairable($0) }
        noteGone(&outcome, between, hasLevels: !levels.isEmpty)
        // A finding may have hidden another: a lane that has its captures back needs its token. What was only left out
        // waits until the audit is told of it.
        let noted = Set(outcome.noted)
        let uncovered = between.findings.filter { finding in
            !left.contains(finding.subject) && (!before.hasRest || noted.contains(Repairable(finding)))
        }
        let hasUncovered = try await mend(uncovered, rules, &outcome)
        guard stop.signal == nil, !levels.isEmpty || !outcome.done.isEmpty else { return }
        guard let last = hasUncovered ? try await examineAgain() : between else { return }
        let repairs = levels + outcome.noted.filter { $0.isOfLevel && !levels.isEmpty }
        try await outcome.attempt(repairs) { () async throws(QueueError) in try await queueDoctor.recount(last) }
    }

    /// Notes what was to be repaired and is not there any more, as far as that shows.
    private func noteGone(_ outcome: inout RepairOutcome, _ between: QueueExamination, hasLevels: Bool) {
        let found = Set(between.findings.map { Repairable($0) })
        let crowded = Set(between.crowded.map(\.rawValue))
        outcome.gone = Set(
            outcome.noted.filter { repair in
                DoctorReport.ofQueue.contains(repair.check) && !found.contains(repair)
                    && !crowded.contains(repair.fault) && !(repair.isOfLevel && hasLevels)
            })
    }

    /// The captures that the queue calls settled and that have no result, with the repair that forgets it.
    private func unsettled(_ view: View) -> [(repair: Repairable, capture: CaptureID, partition: Int)] {
        let open = view.settledOpen.map { row in
            let partition = queueDoctor.partition(of: row.device)
            return (repair: Repairable(row: row.capture), capture: row.capture, partition: partition)
        }
        let lost = view.settledLost.kept.map { capture, partition in
            (repair: Repairable(status: capture), capture: capture, partition: partition)
        }
        return open + lost
    }

    /// Examines the queue once more; `nil` if it is told to stop.
    private func examineAgain() async throws(QueueError) -> QueueExamination? {
        let progress = Progress()
        defer { progress.finish() }
        var examination = try await examine(showing: progress)
        examination.dropSettled()
        return examination.isWhole ? examination : nil
    }

    /// Mends findings; returns whether any was mended.
    private func mend(
        _ findings: [QueueFinding], _ rules: MendingRules, _ outcome: inout RepairOutcome
    ) async throws(QueueError) -> Bool {
        var mending = Mending()
        defer { outcome.add(mending) }
        try await queueDoctor.mend(findings, rules, into: &mending, until: { stop.signal != nil })
        return !mending.mended.isEmpty
    }

    private func redrive(
        _ letters: [(capture: CaptureID, device: DeviceID)], _ outcome: inout RepairOutcome
    ) async throws(QueueError) {
        for (capture, device) in letters where stop.signal == nil {
            try await outcome.attempt([Repairable(letter: capture)]) { () async throws(QueueError) in
                do throws(QueueError) {
                    return try await session.queue.redrive(capture, from: device)
                } catch {
                    // It stays a dead letter, and the report still has it. With its job lost, only its row brings it back.
                    guard error.isOfDamagedKey || error.code == .refused else { throw error }
                    return false
                }
            }
        }
    }
}
