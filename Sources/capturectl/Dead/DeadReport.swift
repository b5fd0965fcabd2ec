import CaptureModel
import CaptureOperations
import CaptureQueue

/// What a command on dead letters tells at its end.
struct DeadReport: Encodable, Sendable {
    /// How many dead letters were selected, whatever came of them.
    let selected: Int
    /// The size of their photos and depth maps, as far as it is known.
    let selectedBytes: Int
    /// Why they were given up, as `dead list --group` has it.
    let groups: [DeadLetterGroups.GroupDocument]
    /// Of how many something was lost before anything was done to them.
    let losses: DeadLosses
    /// Whether this was a dry run.
    let isDryRun: Bool
    /// What came of the letters; ids that were none from the beginning are missing, too.
    var outcome = QueueActions.Outcome()
    /// Whether Ctrl-C or SIGTERM ended it, not a fault.
    var isStopped = false
    /// Whether the operator said no.
    var isDeclined = false

    /// Begins with the letters that were selected, before anything is done to them.
    init(_ letters: [DeadLetter], isDryRun: Bool) {
        selected = letters.count
        selectedBytes = DeadSelection.bytes(of: letters)
        var groups = DeadLetterGroups()
        groups.add(letters)
        self.groups = groups.documents
        losses = DeadLosses(of: letters)
        self.isDryRun = isDryRun
    }

    /// One object: the outcome's members beside those of the selection.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(selected, forKey: "selected")
        try container.encode(selectedBytes, forKey: "selected_bytes")
        try container.encode(groups, forKey: "groups")
        try container.encode(losses.bytesGone, forKey: "bytes_gone")
        try container.encode(losses.bytesNotFound, forKey: "bytes_not_found")
        try container.encode(losses.jobsLost, forKey: "jobs_lost")
        try container.encode(outcome.done, forKey: "done")
        try container.encode(outcome.missing, forKey: "missing")
        // Those may be very many, and nothing is special about them.
        try container.encode(outcome.interrupted.count, forKey: "interrupted")
        try container.encode(outcome.unknown, forKey: "unknown")
        try container.encode(outcome.rowless, forKey: "rowless")
        try container.encode(outcome.isAuditAhead, forKey: "audit_ahead")
        try container.encode(outcome.leftToSweepMax, forKey: "left_to_sweep_max")
        try container.encode(isStopped, forKey: "stopped")
        try container.encode(isDryRun, forKey: "dry_run")
        try container.encode(isDeclined, forKey: "declined")
    }

    /// The lines for people.
    func text(of verb: LetterVerb) -> String {
        var lines: [String] = []
        if selected == 0, outcome.missing.isEmpty {
            lines.append("there is none")
        } else if isDryRun {
            lines.append("nothing was done")
        } else if isDeclined {
            lines.append("declined; nothing was done")
        } else if selected > 0 {
            lines.append("\(verb.participle): \(outcome.done)")
        }
        if !outcome.interrupted.isEmpty {
            let reason = isStopped ? "as it was told to stop" : "as a fault came between"
            lines.append("not \(verb.participle), \(reason): \(outcome.interrupted.count)")
        }
        lines += outcome.unknown.map { "outcome unknown: \($0)" }
        lines += outcome.rowless.map { "there is no row in the ledger any more, should Redis lose it: \($0)" }
        if outcome.isAuditAhead {
            lines.append("the audit also lists some of them as \(verb.participle); correcting it failed")
        }
        if outcome.leftToSweepMax > 0 {
            lines.append(
                "bytes of up to \(outcome.leftToSweepMax) could not be removed from here; workers sweep them later")
        }
        lines += outcome.missing.prefix(20).map { "no dead letter: \($0)" }
        if outcome.missing.count > 20 { lines.append("… and \(outcome.missing.count - 20) more") }
        return lines.joined(separator: "\n")
    }
}
