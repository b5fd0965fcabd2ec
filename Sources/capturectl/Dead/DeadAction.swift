import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// Carries out an action on dead letters one by one, and reports the outcome.
struct DeadAction: Sendable {
    /// The outcome, as JSON.
    struct Outcome: Encodable, Sendable {
        /// How many dead letters were selected, whatever came of them.
        var selected = 0
        /// The size of their photos and depth maps.
        var selectedBytes = 0
        /// How many letters it was done to.
        var done = 0
        /// Ids that were no dead letters, or no longer.
        var missing: [CaptureID] = []
        /// How many letters were left alone because of a fault or a signal.
        var interrupted = 0
        /// Letters of unknown outcome.
        var unknown: [CaptureID] = []
        /// Letters that were not discarded and have lost their rows in the ledger.
        var rowless: [CaptureID] = []
        /// Whether Ctrl-C or SIGTERM ended it, not a fault.
        var isStopped = false
        /// Whether the audit may list letters as done that were not, because the correcting entry could not be written.
        var isAuditAhead = false
        /// How many discarded letters may have bytes left, which workers sweep after a while.
        var leftToSweepMax = 0
        /// Whether this was a dry run.
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

    let verb: LetterVerb
    /// The question to confirm it.
    let question: String
    /// Whether to ask even if the letters were named by id.
    let alwaysAsks: Bool
    /// What happens to letters whose bytes are gone.
    let fateOfGone: String

    /// Letters in one step; between steps it shows progress and heeds a stop.
    private static let lettersPerStep = 100

    /// Runs the command: select, show, ask, do.
    func run(_ selection: DeadSelection, _ options: OperatorOptions, _ actor: ActorOption) async throws {
        let (json, name) = (options.json, actor.name)
        try await OperatorSession.run(options) { session in
            // A dry run does not ask whose queue it is.
            let queue = try await selection.dryRun ? session.onlyLooking.queue : session.ownQueue()
            let (found, missing) = try await selection.letters(of: queue)
            let letters = await session.lookingForFiles(of: found)
            var outcome = Outcome(
                selected: letters.count, selectedBytes: DeadSelection.bytes(of: letters),
                missing: missing, isDryRun: selection.dryRun)
            let stop = StopRequest("stops after the capture under way")
            var fault: ServerFault?
            if !letters.isEmpty {
                let preview = session.servers.preview(DeadSelection.preview(letters, fateOfGone: fateOfGone), by: name)
                let isNeeded = (selection.all || alwaysAsks) && !selection.yes
                if selection.dryRun {
                    if !json { try printAnswer(preview) }
                } else if try Confirmation.isGiven(question, about: preview, isNeeded: isNeeded, json: json) {
                    let actions = session.actions(on: queue)
                    fault = await stop.heeding { await act(on: letters, actions, by: name, stop, &outcome) }
                    outcome.isStopped = fault == nil && stop.signal != nil
                } else {
                    outcome.isDeclined = true
                }
            }
            try printAnswer(json ? JSONText.write(outcome) : text(outcome))
            if let fault { throw fault }
            if let code = stop.exitCode { throw code }
            return outcome.missing.isEmpty && !outcome.isDeclined
        }
    }

    /// Carries it out page by page; returns the fault that ended it, if any.
    private func act(
        on letters: [DeadLetter], _ actions: QueueActions, by actor: String, _ stop: StopRequest,
        _ outcome: inout Outcome
    ) async -> ServerFault? {
        let progress = Progress()
        defer { progress.finish() }
        var total = QueueActions.Outcome()
        var fault: ServerFault?
        for page in letters.pages(of: Self.lettersPerStep) where fault == nil && stop.signal == nil {
            do throws(ServerFault) {
                try await actions.act(verb, on: page, by: actor, adding: &total) { stop.signal != nil }
            } catch {
                fault = error
            }
            progress.show("\(verb.participle): \(total.done) of \(letters.count)")
        }
        outcome.done = total.done
        outcome.missing += total.missing
        outcome.interrupted = total.undone(of: letters.count)
        outcome.unknown = total.unknown
        outcome.rowless = total.rowless
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
            lines.append("\(verb.participle): \(outcome.done)")
        }
        if outcome.interrupted > 0 {
            let reason = outcome.isStopped ? "as it was told to stop" : "as a fault came between"
            lines.append("not \(verb.participle), \(reason): \(outcome.interrupted)")
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
