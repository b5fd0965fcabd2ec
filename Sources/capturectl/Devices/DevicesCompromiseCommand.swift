import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices compromise`.
struct DevicesCompromiseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compromise",
        abstract: "Notes that a device's key was in other hands, and revokes the device from then on.",
        usage: """
            capturectl devices compromise <device> --since <time> --reason <reason>
                [<options>]
            """,
        discussion: """
            Says first how many captures it concerns. Every registration of the key is meant. Results since that \
            moment keep their verdict, and say `compromised_since` whenever they are read; `capturectl devices affected` \
            lists the verified ones. Captures that wait are rejected as DEVICE_REVOKED when they are settled. It cannot \
            be taken back; of two moments the earlier one holds. The audit notes it.

            Examples:
              capturectl devices compromise 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --since 2026-04-21T00:00:00Z --reason stolen
              capturectl devices compromise 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --since 2026-04-21T00:00:00Z --reason test --dry-run

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: DeviceArgument

    @Option(
        help: ArgumentHelp("Since when the key was in other hands (RFC 3339), no later than now.", valueName: "time"),
        transform: CommandValue.pastTime)
    var since: Timestamp

    @OptionGroup var revocation: RevocationOptions
    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    private struct Answer: Encodable {
        let device: DeviceID
        let since: Timestamp
        let verified: Int
        /// Captures without a result; `nil` if unknown.
        @OrNull var open: Int?
        let isVerifiedOrMore: Bool
        let isOpenOrMore: Bool
        /// Whether it was noted.
        var isNoted = false
        /// How many verified results are marked; `nil` if nothing was done, or if the record did not answer any more.
        @OrNull var affected: Int? = nil
        var isAffectedOrMore = false
        let isDryRun: Bool

        enum CodingKeys: String, CodingKey {
            case device = "device_id"
            case since
            case verified = "verified_since"
            case open = "open_since"
            case isVerifiedOrMore = "verified_since_or_more"
            case isOpenOrMore = "open_since_or_more"
            case isNoted = "compromised"
            case affected = "affected_results"
            case isAffectedOrMore = "affected_results_or_more"
            case isDryRun = "dry_run"
        }
    }

    func run() async throws {
        let (id, reason, since) = (argument.id, try revocation.words(), since)
        let (json, name, dryRun, yes) = (options.json, actor.name, revocation.dryRun, revocation.yes)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            if !dryRun { try await session.requireSchema() }
            guard let record = try await session.record(of: id) else { return false }
            let tally = try await session.store.tally(ofKeyOf: id, from: since)
            let open = session.openCount(of: tally)
            var answer = Answer(
                device: id, since: since, verified: tally.verified, open: open,
                isVerifiedOrMore: tally.verified >= DeviceTally.countMax,
                isOpenOrMore: (open ?? 0) >= DeviceTally.countMax, isDryRun: dryRun)
            let preview = session.servers.preview(Self.preview(answer, before: record.compromise), by: name)
            let question = "Note it, and revoke it?"
            if try Confirmation.isGiven(question, about: preview, dryRun: dryRun, isNeeded: !yes, json: json) {
                let noted = try await session.deviceActions.compromise(
                    id, since: since, reason: reason, by: name)
                (answer.isNoted, answer.affected) = (noted != nil, noted?.affected)
                answer.isAffectedOrMore = (answer.affected ?? 0) >= DeviceTally.countMax
            }
            try printAnswer(json ? JSONText.write(answer) : Self.text(answer))
            return answer.isNoted || dryRun
        }
    }

    private static func preview(_ answer: Answer, before: Compromise?) -> String {
        let verified = TerminalText.count(answer.verified, "capture", orMore: answer.isVerifiedOrMore)
        let noted = before.map { "\nnoted before: since \($0.since.rfc3339); of two moments the earlier one holds" }
        return """
            \(answer.device) since \(answer.since):
            \(verified) verified since then, to be marked as of a compromised key
            \(TerminalText.rejected(open: answer.open, orMore: answer.isOpenOrMore))
            """ + (noted ?? "")
    }

    private static func text(_ answer: Answer) -> String {
        guard answer.isNoted else { return "nothing was done" }
        let marked = answer.affected.map {
            "\(TerminalText.count($0, "verified result", orMore: answer.isAffectedOrMore)) marked"
        }
        let results = marked ?? "the results since then are marked"
        return "compromised; \(results): capturectl devices affected \(answer.device)"
    }
}
