import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices affected`.
struct DevicesAffectedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "affected",
        abstract: "Lists verified captures of a compromised key since it was compromised, in the order of receipt.",
        usage: "capturectl devices affected <device> [<options>]",
        discussion: """
            Examples:
              capturectl devices affected 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl devices affected 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --after 117 --limit 500 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: DeviceArgument

    @OptionGroup var limit: LimitOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Go on after the result with this counter, which the list before has named.", valueName: "counter"))
    var after: UInt32?

    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let (id, after, limit, json) = (argument.id, after ?? 0, limit.count, options.json)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            guard let record = try await session.record(of: id) else { return false }
            // One more than asked for tells whether there are more.
            let found = try await session.store.affected(of: id, after: after, limit: limit + 1)
            let page = AffectedPage(
                since: record.compromise?.since, results: Array(found.prefix(limit)), isFirst: after == 0,
                hasMore: found.count > limit)
            try printAnswer(json ? JSONText.write(page) : page.text(on: .current))
            return true
        }
    }
}

/// A page of the verified results of a compromised key, as it is printed.
private struct AffectedPage: Encodable {
    /// Since when it is compromised; `nil` if it is not.
    let since: Timestamp?
    let results: [AffectedResult]
    /// Whether it is the first page.
    let isFirst: Bool
    let hasMore: Bool

    private var next: UInt32? { hasMore ? results.last?.counter : nil }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(since, forKey: "compromised_since")
        try container.encode(results.map { AffectedResultDocument($0) }, forKey: "results")
        try container.encode(next, forKey: "next")
    }

    /// The table, and how to go on.
    func text(on terminal: Terminal) -> String {
        guard let since else { return "not compromised" }
        let head = "compromised since \(since.rfc3339)"
        guard !results.isEmpty else { return "\(head): no \(isFirst ? "" : "more ")verified results" }
        var table = TextTable([("counter", .trailing), ("capture", .leading), ("received", .leading)])
        for result in results { table.append(["\(result.counter)", "\(result.capture)", result.receivedAt.rfc3339]) }
        return "\(head)\n\n\(table.text(for: terminal, flexible: nil))" + (next.map { "\n\nmore: --after \($0)" } ?? "")
    }
}
