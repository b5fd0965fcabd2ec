import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// What came of a repair.
struct RepairOutcome: Sendable {
    /// What the audit was told of before.
    var noted: [Repairable] = []
    /// What was repaired, including what the repair uncovered.
    var done: Set<Repairable> = []
    /// What a fault left without an answer: the audit lists it as repaired.
    var unknown: Set<Repairable> = []
    /// What was not there any more when the queue was looked at after the repair.
    var gone: Set<Repairable> = []
    /// The fault that ended it.
    var fault: ServerFault?
    /// Whether the audit may list repairs that were not made, because the correcting entries could not be written.
    var isAuditAhead = false

    /// What was noted and is not repaired.
    var missed: [Repairable] {
        noted.filter { !done.contains($0) && !unknown.contains($0) && !gone.contains($0) }
    }

    /// Adds the outcome of a further repair.
    mutating func add(_ other: RepairOutcome) {
        noted += other.noted
        done.formUnion(other.done)
        unknown.formUnion(other.unknown)
        gone.formUnion(other.gone)
        fault = fault ?? other.fault
        isAuditAhead = isAuditAhead || other.isAuditAhead
    }

    /// Adds what was mended in the queue.
    mutating func add(_ mending: Mending) {
        done.formUnion(mending.mended.map { Repairable($0) })
        unknown.formUnion(mending.unknown.map { Repairable($0) })
    }

    /// Repairs some by one call, which tells whether it did: after a fault nobody knows.
    mutating func attempt(
        _ repairs: [Repairable], _ body: () async throws(QueueError) -> Bool
    ) async throws(QueueError) {
        unknown.formUnion(repairs)
        let isDone = try await body()
        unknown.subtract(repairs)
        if isDone { done.formUnion(repairs) }
    }
}

extension RepairOutcome {
    /// The report of the last look: what it did not look at again is told as it was seen before the repair.
    /// - Parameter looks: One before each repair, and one after the last.
    func report(_ looks: [Doctor.View]) -> DoctorReport {
        guard let last = looks.last else { return DoctorReport() }
        let earlier = Array(looks.dropLast().reversed())
        var report = last.report
        report.checks = report.checks.flatMap { line -> [DoctorCheck] in
            guard line.whyUnseen != nil else { return [seen(line, earlier.flatMap { $0.lines(line.name) })] }
            let view = earlier.first { !$0.lines(line.name).isEmpty }
            return view.map { view in view.lines(line.name).map { unseen($0, view) } } ?? [line]
        }
        report.isAuditAhead = isAuditAhead
        report.remarks = remarks(isStopped: report.isStopped)
        return report
    }

    /// A line of the last look, which calls it repaired if an earlier look has seen a problem.
    ///
    /// With that problem's examples and advice: they tell what was repaired, and what is left to do after it.
    /// What another repair has made wrong for a moment, as a lane that it has emptied, was no problem before.
    private func seen(_ line: DoctorCheck, _ earlier: [DoctorCheck]) -> DoctorCheck {
        guard line.state == .ok, let was = earlier.first(where: { $0.state == .problem }) else { return line }
        var line = line
        line.state = .repaired
        line.found = "was: \(was.found)"
        (line.meaning, line.repair, line.examples) = (was.meaning, was.repair, was.examples)
        return line
    }

    /// A line of an earlier look, with how much of it was repaired since.
    private func unseen(_ line: DoctorCheck, _ view: Doctor.View) -> DoctorCheck {
        let count = done.count { $0.check == line.name }
        guard line.state == .problem, count > 0 else { return line }
        var line = line
        if view.isRepaired(line.name, by: done) {
            line.state = .repaired
            line.found = "was: \(line.found)"
        } else {
            line.found += "; \(count) repaired"
        }
        return line
    }

    private func remarks(isStopped: Bool) -> [String] {
        var lines: [String] = []
        if !noted.isEmpty, fault != nil || isStopped {
            let cause = fault == nil ? "it was told to stop" : "a fault came between"
            var line = "\(cause): \(noted.count { done.contains($0) }) of \(noted.count) repaired"
            if !unknown.isEmpty { line += ", and nobody knows of \(unknown.count)" }
            lines.append(line)
        }
        if isAuditAhead { lines.append("the audit also lists some as repaired that are not; correcting it failed") }
        return lines
    }
}

extension Doctor.View {
    /// The lines of a check, if it was made.
    fileprivate func lines(_ name: String) -> [DoctorCheck] {
        report.checks.filter { $0.name == name && $0.whyUnseen == nil }
    }
}
