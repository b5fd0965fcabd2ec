import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// `capturectl dead list`.
struct DeadListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists dead letters, oldest first.",
        usage: "capturectl dead list [<options>]",
        discussion: """
            On a terminal of 80 columns or more the fault is cut so that a row fits; on a narrower one rows wrap. \
            Elsewhere, and with --json, nothing is cut.

            Examples:
              capturectl dead list
              capturectl dead list --group
              capturectl dead list --device 01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d --json
              capturectl dead list \\
                  --after 1780000000000:0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21

            \(CommandEnd.help)
            """
    )

    @OptionGroup var filter: DeadFilter
    @OptionGroup var options: OperatorOptions

    private static let standardLimit = 50

    @Option(parsing: .unconditional, help: "The most that are listed, 1 to 10000. (default: 50)")
    var limit: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Go on after this place, which the list before has named.", valueName: "place"))
    var after: String?

    @Flag(help: "Count them by reason and fault instead.")
    var group = false

    func validate() throws {
        if let limit, !(1...10_000).contains(limit) { throw ValidationError("--limit takes 1 to 10000") }
        if let after, DeadLetter.Position(after) == nil {
            throw ValidationError("--after takes a place as a list names it, not '\(after)'")
        }
        for (option, isGiven) in [("--after", after != nil), ("--limit", limit != nil)] where group && isGiven {
            throw ValidationError("--group counts all of them: it does not go with \(option)")
        }
    }

    func run() async throws {
        let (filter, limit, group, json) = (filter, limit ?? Self.standardLimit, group, options.json)
        let position = after.flatMap { DeadLetter.Position($0) }
        try await OperatorSession.run(options) { session in
            let queue = session.onlyLooking.queue
            let total = try await queue.load().deadLetters
            if group {
                var groups = DeadLetterGroups()
                try await filter.each(of: queue) {
                    groups.add($0)
                    return true
                }
                try printAnswer(json ? JSONText.write(groups.document(total: total)) : groups.text(total: total))
            } else {
                // One more than asked for tells whether there are more.
                var letters: [DeadLetter] = []
                try await filter.each(of: queue, after: position) {
                    letters += $0.prefix(limit + 1 - letters.count)
                    return letters.count <= limit
                }
                let page = DeadPage(
                    letters: Array(letters.prefix(limit)), isFirst: position == nil, hasMore: letters.count > limit,
                    total: total)
                try printAnswer(json ? JSONText.write(page) : page.text(now: Timestamp.systemTime()))
            }
            return true
        }
    }
}
