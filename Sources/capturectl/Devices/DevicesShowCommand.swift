import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import PostgresCaptureStore

/// `capturectl devices show`.
struct DevicesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a device: its key, what is known of it, its counters and captures, and who did what to it.",
        discussion: """
            Examples:
              capturectl devices show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl devices show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: DeviceArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let (id, json) = (argument.id, options.json)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            guard let record = try await session.record(of: id) else { return false }
            let store = session.store
            let tally = try await store.tally(of: id, from: Timestamp(millisecondsSince1970: 0))
            let shown = ShownDevice(
                record: record, receipt: try await store.receipt(of: id),
                attestations: try await store.attestations(of: id),
                tally: tally, open: session.openCount(of: tally),
                trail: try await AuditTrail(of: "\(id)", in: store))
            try printAnswer(json ? JSONText.write(shown) : shown.text(on: .current))
            return true
        }
    }
}
