import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// `capturectl dead show`.
struct DeadShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows everything about one dead letter.",
        discussion: """
            Examples:
              capturectl dead show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl dead show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: CaptureArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        guard let id = argument.id else { return }
        let json = options.json
        try await OperatorSession.run(options) { session in
            let queue = session.onlyLooking.queue
            guard let letter = try await queue.deadLetter(id) else {
                let state = try await queue.status(of: [id]).first.flatMap { $0?.state.rawValue }
                standardError(
                    "capturectl: \(id) is no dead letter; \(state.map { "it is \($0)" } ?? "the queue does not know it")\n"
                )
                return false
            }
            let trail = try await AuditTrail(of: "\(id)", in: session.store)
            try printAnswer(
                json
                    ? JSONText.write(DeadLetterDocument(letter, trail: trail))
                    : Self.text(letter, trail.lines))
            return true
        }
    }

    private static func text(_ letter: DeadLetter, _ trail: [String]) -> String {
        let status = letter.status
        let kept =
            switch letter.hasBytes {
            case true?: "kept"
            case false?: "gone"
            case nil: "in the store \(letter.bundleStore?.rawValue ?? "?")"
            }
        var facts = FactList()
        facts.add("capture", "\(letter.id)")
        facts.add("device", "\(status.device)")
        facts.add("reason", "\(status.reason?.rawValue ?? "—")\(status.reason.map { ": \($0.explanation)" } ?? "")")
        facts.add("fault", status.fault ?? "—")
        facts.add("attempts", "\(status.attempts)")
        facts.add("deliveries", letter.deliveries.map(String.init) ?? "—")
        facts.add("redriven", status.redriven ? "yes" : "no")
        facts.add("received", status.receivedAt.rfc3339)
        facts.add("last claimed", status.claimedAt?.rfc3339 ?? "—")
        facts.add("given up", letter.diedAt.rfc3339)
        facts.add("photo", Wording.bytes(letter.photoBytes))
        facts.add("depth map", Wording.bytes(letter.depthBytes))
        facts.add("bytes", kept)
        facts.add("audit", trail)
        return facts.text
    }
}
