import CaptureModel
import CaptureOperations
import CaptureQueue

/// Does something to dead letters, one after the other, and tells what came of it.
struct DeadAction: Sendable {
    /// What came of it, as JSON.
    struct Outcome: Encodable, Sendable {
        /// How many it was done to.
        var done = 0
        /// Ids that were no dead letters, or no longer.
        var missing: [String] = []
        /// How many of the discarded have bytes left at the most, which workers sweep after a while.
        var leftToSweepMax = 0
        /// Whether it was only said what would be done.
        var isDryRun = false
        /// Whether the operator said no.
        var isDeclined = false

        enum CodingKeys: String, CodingKey {
            case done, missing
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
    /// Does it to some of them, and notes it first.
    let perform: @Sendable (OperatorDesk, [DeadLetter], _ actor: String) async throws -> OperatorDesk.Outcome

    /// How many are noted in the record at once.
    private static let pageSize = 100

    /// Runs the command: select, show, ask, do.
    func run(_ selection: DeadSelection, _ options: OperatorOptions, _ actor: ActorOption) async throws {
        let (json, name) = (options.json, actor.name)
        try await OperatorSession.run(options) { session in
            let (letters, missing) = try await selection.letters(in: session)
            var outcome = Outcome(missing: missing.map(\.description), isDryRun: selection.dryRun)
            if !letters.isEmpty {
                let preview = DeadSelection.preview(letters)
                let isNeeded = (selection.all || alwaysAsks) && !selection.yes
                if selection.dryRun {
                    if !json { print(preview) }
                } else if try Confirmation.isGiven(question, about: preview, isNeeded: isNeeded, json: json) {
                    try await act(on: letters, session, by: name, &outcome)
                } else {
                    outcome.isDeclined = true
                }
            }
            print(json ? try JSONText.write(outcome) : text(outcome, of: letters.count))
            return outcome.missing.isEmpty && !outcome.isDeclined
        }
    }

    private func act(
        on letters: [DeadLetter], _ session: OperatorSession, by actor: String, _ outcome: inout Outcome
    ) async throws {
        let progress = Progress()
        defer { progress.finish() }
        for start in stride(from: 0, to: letters.count, by: Self.pageSize) {
            let page = letters[start..<min(start + Self.pageSize, letters.count)]
            let done = try await perform(session.desk, Array(page), actor)
            outcome.done += done.done
            outcome.missing += done.missing.map(\.description)
            outcome.leftToSweepMax += done.leftToSweepMax
            progress.show("\(verb): \(outcome.done) of \(letters.count)")
        }
    }

    private func text(_ outcome: Outcome, of count: Int) -> String {
        var lines: [String] = []
        if count == 0, outcome.missing.isEmpty {
            lines.append("there is none")
        } else if outcome.isDryRun {
            lines.append("nothing was done")
        } else if outcome.isDeclined {
            lines.append("declined; nothing was done")
        } else if count > 0 {
            lines.append("\(verb): \(outcome.done)")
        }
        if outcome.leftToSweepMax > 0 {
            lines.append("bytes of up to \(outcome.leftToSweepMax) could not be removed now; workers sweep them later")
        }
        lines += outcome.missing.prefix(20).map { "no dead letter: \($0)" }
        if outcome.missing.count > 20 { lines.append("… and \(outcome.missing.count - 20) more") }
        return lines.joined(separator: "\n")
    }
}
