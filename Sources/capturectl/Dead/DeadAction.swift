import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// Carries out an action on dead letters, and reports what came of it.
struct DeadAction: Sendable {
    let verb: LetterVerb
    /// The question to confirm it.
    let question: String
    /// Whether to ask even if the letters were named by id.
    let alwaysAsks: Bool
    /// What happens to letters whose bytes are gone.
    let fateOfGone: String
    /// What happens to letters whose jobs Redis has lost, or what may help.
    let fateOfLost: String

    /// Letters in one step; after each it shows progress.
    private static let lettersPerStep = 100

    /// Runs the command: select, show, ask, do.
    func run(_ selection: DeadSelection, _ options: OperatorOptions, _ actor: ActorOption) async throws {
        let (json, name) = (options.json, actor.name)
        try await OperatorSession.run(options) { session in
            // A dry run does not ask whose queue it is.
            let queue = try await selection.dryRun ? session.onlyLooking.queue : session.ownQueue()
            let (found, missing) = try await selection.letters(of: queue)
            let letters = await session.lookingForFiles(of: found)
            var report = DeadReport(letters, isDryRun: selection.dryRun)
            report.outcome.missing = missing
            let stop = StopRequest("stops after what is under way")
            var fault: ServerFault?
            if !letters.isEmpty {
                let what = DeadSelection.preview(letters, fateOfGone: fateOfGone, fateOfLost: fateOfLost)
                let preview = session.servers.preview(what, by: name)
                let isGiven = try Confirmation.isGiven(
                    question, about: preview, dryRun: selection.dryRun,
                    isNeeded: (selection.all || alwaysAsks) && !selection.yes, json: json)
                if isGiven {
                    let actions = session.actions(on: queue)
                    let end = await stop.heeding { await act(on: letters, actions, by: name, stop) }
                    report.outcome.add(end.outcome)
                    report.isStopped = end.fault == nil && stop.signal != nil
                    fault = end.fault
                } else {
                    report.isDeclined = !selection.dryRun
                }
            }
            try printAnswer(json ? JSONText.write(report) : report.text(of: verb))
            if let fault { throw fault }
            if let code = stop.exitCode { throw code }
            return report.outcome.missing.isEmpty && !report.isDeclined
        }
    }

    /// Carries it out and shows progress.
    private func act(
        on letters: [DeadLetter], _ actions: QueueActions, by actor: String, _ stop: StopRequest
    ) async -> (outcome: QueueActions.Outcome, fault: ServerFault?) {
        let progress = Progress()
        defer { progress.finish() }
        return await actions.act(
            verb, on: letters, by: actor, pageMax: Self.lettersPerStep, together: QueueActions.discardedTogether,
            until: { stop.signal != nil },
            onPage: { progress.show("\(verb.participle): \($0.done) of \(letters.count)") })
    }
}
