import ArgumentParser
import CaptureOperations

/// `capturectl dead redrive`.
struct DeadRedriveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redrive",
        abstract: "Puts dead letters back at the end of their devices' lanes.",
        usage: """
            capturectl dead redrive <captures> ... [<options>]
            capturectl dead redrive --all [<options>]
            """,
        discussion: """
            Each gets all its attempts again. A capture whose counter later ones have overtaken ends as COUNTER_STALE, \
            and its status and result say that it was redriven. The audit notes who did it, before it is done.

            Examples:
              capturectl dead redrive 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl dead redrive --all --dry-run
              capturectl dead redrive --all --fault "its worker did not come back" --yes
              capturectl dead redrive --all --reason BUNDLE_CORRUPT \\
                  --actor "alice, ticket 4711"

            --all asks before it begins; without a terminal it needs --yes.

            \(StopRequest.help)

            \(CommandEnd.help)
            """,
        // An accepted second word for the same command.
        aliases: ["retry"]
    )

    @OptionGroup var selection: DeadSelection
    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func run() async throws {
        let action = DeadAction(
            verb: .redrive, question: "Redrive them?", alwaysAsks: false,
            fateOfGone: "redriven, they end as BUNDLE_MISSING again",
            fateOfLost: "redriven, they are worked as the ledger has them, and given up again if it does not")
        try await action.run(selection, options, actor)
    }
}
