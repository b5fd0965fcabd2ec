import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices revoke`.
struct DevicesRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a device: captures received from that moment on are rejected.",
        usage: "capturectl devices revoke <device> --reason <reason> [<options>]",
        discussion: """
            Says first how many captures it concerns. Results that are there stay as they are; captures that wait and \
            were received at that moment or later are rejected as DEVICE_REVOKED when they are settled. Of two \
            revocations the earlier moment holds, with its reason. It cannot be taken back: the device registers again \
            with a new key. The audit notes it. If the key was in other hands, say so with \
            `capturectl devices compromise`.

            Examples:
              capturectl devices revoke 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --reason "lost phone, ticket 4711"
              capturectl devices revoke 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --reason stolen --from 2026-04-21T00:00:00Z --yes
              capturectl devices revoke 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --reason test --dry-run

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: DeviceArgument
    @OptionGroup var revocation: RevocationOptions

    @Option(
        help: ArgumentHelp("From this time on (RFC 3339), no later than now. (default: now)", valueName: "time"),
        transform: CommandValue.pastTime)
    var from: Timestamp?

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    private struct Answer: Encodable {
        let device: DeviceID
        let from: Timestamp
        let settled: Int
        /// Captures without a result; `nil` if unknown.
        @OrNull var open: Int?
        let isSettledOrMore: Bool
        let isOpenOrMore: Bool
        var revoked = false
        /// From when on it is revoked, as recorded; `nil` if it is not.
        @OrNull var revokedAt: Timestamp?
        let isDryRun: Bool

        init(device: Device, from: Timestamp, tally: DeviceTally, open: Int?, isDryRun: Bool) {
            self.device = device.id
            revokedAt = device.revokedAt
            self.from = from
            settled = tally.verified + tally.rejected
            self.open = open
            // The tally stops counting here.
            isSettledOrMore = max(tally.verified, tally.rejected) >= DeviceTally.countMax
            isOpenOrMore = (open ?? 0) >= DeviceTally.countMax
            self.isDryRun = isDryRun
        }

        enum CodingKeys: String, CodingKey {
            case device = "device_id"
            case from, revoked
            case revokedAt = "revoked_at"
            case settled = "settled_since"
            case open = "open_since"
            case isSettledOrMore = "settled_since_or_more"
            case isOpenOrMore = "open_since_or_more"
            case isDryRun = "dry_run"
        }
    }

    func run() async throws {
        let (id, reason) = (argument.id, try revocation.words())
        let (json, name, dryRun, yes) = (options.json, actor.name, revocation.dryRun, revocation.yes)
        let start = from
        let moment = start ?? Timestamp.systemTime()
        try await OperatorSession.run(options, checksInstallation: false) { session in
            if !dryRun { try await session.requireSchema() }
            guard let record = try await session.record(of: id) else { return false }
            let tally = try await session.store.tally(of: id, from: moment)
            var answer = Answer(
                device: record.registration.device, from: moment, tally: tally, open: session.openCount(of: tally),
                isDryRun: dryRun)
            let preview = session.servers.preview(Self.preview(answer, before: record), by: name)
            if try Confirmation.isGiven("Revoke it?", about: preview, dryRun: dryRun, isNeeded: !yes, json: json) {
                answer.revoked = try await session.deviceActions.revoke(id, from: start, reason: reason, by: name)
                answer.revokedAt = await Self.revokedAt(id, in: session)
            }
            try printAnswer(json ? JSONText.write(answer) : Self.text(answer, before: record))
            return answer.revoked || dryRun
        }
    }

    /// Since when a device is revoked, if the record answers; a failed read does not undo the revocation.
    private static func revokedAt(_ device: DeviceID, in session: OperatorSession) async -> Timestamp? {
        do throws(StoreError) {
            return try await session.store.record(of: device)?.registration.device.revokedAt
        } catch {
            return nil
        }
    }

    private static func preview(_ answer: Answer, before record: DeviceRecord) -> String {
        let settled = TerminalText.count(answer.settled, "capture", orMore: answer.isSettledOrMore)
        return """
            \(answer.device) from \(answer.from) on:
            \(TerminalText.rejected(open: answer.open, orMore: answer.isOpenOrMore))
            \(settled) settled since then keep their results
            """ + (before(record) ?? "")
    }

    /// The note about an earlier revocation.
    private static func before(_ record: DeviceRecord) -> String? {
        guard let since = record.registration.device.revokedAt?.rfc3339 else { return nil }
        let revoked = record.revokedBy.map { " by \($0)" } ?? ""
        let ended = record.supersededBy.map { ", superseded by \($0)" } ?? revoked
        let reason = record.revokedReason.map { " (\($0))" } ?? ""
        return "\nrevoked before: since \(since)\(ended)\(reason); of two moments the earlier one holds"
    }

    private static func text(_ answer: Answer, before record: DeviceRecord) -> String {
        guard answer.revoked else { return "nothing was done" }
        guard let since = record.registration.device.revokedAt, since == answer.revokedAt else {
            return "revoked"
        }
        return "revoked before, since \(since): that holds; the audit has both"
    }
}
