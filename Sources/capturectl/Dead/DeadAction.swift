import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue

/// Does something to dead letters, one after the other, and tells what came of it.
struct DeadAction: Sendable {
    /// What came of it, as JSON.
    struct Outcome: Encodable, Sendable {
        /// How many dead letters are meant, whatever came of it.
        var selected = 0
        /// The size of their photos and depth maps.
        var selectedBytes = 0
        /// How many it was done to.
        var done = 0
        /// Ids that were no dead letters, or no longer.
        var missing: [String] = []
        /// How many a fault, or a signal, has kept it from: it was not done to them.
        var interrupted = 0
        /// Those of which nobody knows whether it was done.
        var unknown: [String] = []
        /// Those of the interrupted that have lost their rows in the ledger.
        var rowless: [String] = []
        /// Whether Ctrl-C or SIGTERM has ended it, and no fault.
        var isStopped = false
        /// Whether the audit names some as done that were not: it could not be told afterwards.
        var isAuditAhead = false
        /// How many of the discarded have bytes left at the most, which workers sweep after a while.
        var leftToSweepMax = 0
        /// Whether it was only said what would be done.
        var isDryRun = false
        /// Whether the operator said no.
        var isDeclined = false

        enum CodingKeys: String, CodingKey {
            case selected, done, missing, interrupted, unknown, rowless
            case selectedBytes = "selected_bytes"
            case isStopped = "stopped"
            case isAuditAhead = "audit_ahead"
            case leftToSweepMax = "left_to_sweep_max"
            case isDryRun = "dry_run"
            case isDeclined = "declined"
        }
    }

    /// The past tense for the summary.
    let verb: String
    /// The question before it is done.
    let question: String
    /// Whether ids that were named are asked about as well.
    let alwaysAsks: Bool
    /// What becomes of those whose bytes are gone.
    let fateOfGone: String
    /// Does it to some of them until it is told to stop, and notes it first; what came of it is added to the outcome
    /// even when it throws.
    let perform:
        @Sendable (
            OperatorDesk, [DeadLetter], _ actor: String, StopRequest, inout OperatorDesk.Outcome
        ) async throws(ServerFault) -> Void

    /// Between two steps it shows progress and heeds a stop.
    private static let lettersPerStep = 100

    /// Runs the command: select, show, ask, do.
    func run(_ selection: DeadSelection, _ options: OperatorOptions, _ actor: ActorOption) async throws {
        let (json, name) = (options.json, actor.name)
        try await OperatorSession.run(options) { session in
            let (letters, missing) = try await selection.letters(in: session)
            var outcome = Outcome(
                selected: letters.count, selectedBytes: DeadSelection.bytes(of: letters),
                missing: missing.map(\.description), isDryRun: selection.dryRun)
            let stop = StopRequest()
            var fault: ServerFault?
            if !letters.isEmpty {
                let preview = session.servers.preview(DeadSelection.preview(letters, fateOfGone: fateOfGone), by: name)
                let isNeeded = (selection.all || alwaysAsks) && !selection.yes
                if selection.dryRun {
                    if !json { try printAnswer(preview) }
                } else if try Confirmation.isGiven(question, about: preview, isNeeded: isNeeded, json: json) {
                    fault = await stop.heeding { await act(on: letters, session.desk, by: name, stop, &outcome) }
                    outcome.isStopped = fault == nil && stop.signal != nil
                } else {
                    outcome.isDeclined = true
                }
            }
            try printAnswer(json ? JSONText.write(outcome) : text(outcome))
            if let fault { throw fault }
            if let signal = stop.signal { throw ExitCode(128 + signal) }
            return outcome.missing.isEmpty && !outcome.isDeclined
        }
    }

    /// Does it to page after page; the fault that has ended it, if one did.
    private func act(
        on letters: [DeadLetter], _ desk: OperatorDesk, by actor: String, _ stop: StopRequest,
        _ outcome: inout Outcome
    ) async -> ServerFault? {
        let progress = Progress()
        defer { progress.finish() }
        var total = OperatorDesk.Outcome()
        var fault: ServerFault?
        for page in letters.pages(of: Self.lettersPerStep) where fault == nil && stop.signal == nil {
            do throws(ServerFault) {
                try await perform(desk, page, actor, stop, &total)
            } catch {
                fault = error
            }
            progress.show("\(verb): \(total.done) of \(letters.count)")
        }
        outcome.done = total.done
        outcome.missing += total.missing.map(\.description)
        outcome.interrupted = total.undone(of: letters.count)
        outcome.unknown = total.unknown.map(\.description)
        outcome.rowless = total.rowless.map(\.description)
        outcome.isAuditAhead = total.isAuditAhead
        outcome.leftToSweepMax = total.leftToSweepMax
        return fault
    }

    private func text(_ outcome: Outcome) -> String {
        var lines: [String] = []
        if outcome.selected == 0, outcome.missing.isEmpty {
            lines.append("there is none")
        } else if outcome.isDryRun {
            lines.append("nothing was done")
        } else if outcome.isDeclined {
            lines.append("declined; nothing was done")
        } else if outcome.selected > 0 {
            lines.append("\(verb): \(outcome.done)")
        }
        if outcome.interrupted > 0 {
            let reason = outcome.isStopped ? "as it was told to stop" : "as a fault came between"
            lines.append("not \(verb), \(reason): \(outcome.interrupted)")
        }
        lines += outcome.unknown.map { "outcome unknown: \($0)" }
        lines += outcome.rowless.map { "there is no row in the ledger any more, should Redis lose it: \($0)" }
        if outcome.isAuditAhead { lines.append("the audit also lists some of them as \(verb); correcting it failed") }
        if outcome.leftToSweepMax > 0 {
            lines.append(
                "bytes of up to \(outcome.leftToSweepMax) could not be removed from here; workers sweep them later")
        }
        lines += outcome.missing.prefix(20).map { "no dead letter: \($0)" }
        if outcome.missing.count > 20 { lines.append("… and \(outcome.missing.count - 20) more") }
        return lines.joined(separator: "\n")
    }
}
