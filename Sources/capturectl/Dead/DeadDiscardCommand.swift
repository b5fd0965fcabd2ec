import ArgumentParser
import CaptureOperations

/// `capturectl dead discard`.
struct DeadDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Deletes dead letters and their bytes for good.",
        usage: """
            capturectl dead discard <captures> ... [<options>]
            capturectl dead discard --all [<options>]
            """,
        discussion: """
            Nothing brings them back; the phone may send the same bundle again. The audit notes who did it, and to which \
            captures, before it is done. It always asks; without a terminal it needs --yes.

            Examples:
              capturectl dead discard 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl dead discard --all --reason BUNDLE_MISSING --dry-run
              capturectl dead discard --all \\
                  --device 5a0f7c1e-2a86-4c1b-9d24-6f1f3f0f7a10 --yes

            \(StopRequest.help)

            \(CommandEnd.help)
            """
    )

    @OptionGroup var selection: DeadSelection
    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func run() async throws {
        let action = DeadAction(
            verb: .discard, question: "Delete them and their bytes for good?", alwaysAsks: true,
            fateOfGone: "their bundles, sent again, put a BUNDLE_MISSING back, unless it is discarded",
            fateOfLost: "a redrive brings them back if the ledger has them")
        try await action.run(selection, options, actor)
    }
}
