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
            While PostgreSQL is away it is shown without its audit.

            Examples:
              capturectl dead show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl dead show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: CaptureArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let (id, json) = (argument.id, options.json)
        try await OperatorSession.run(options) { session in
            let queue = session.onlyLooking.queue
            guard let found = try await queue.deadLetter(id) else {
                let state = try await queue.status(of: id)?.state.rawValue
                standardError(
                    "capturectl: \(id) is no dead letter; \(state.map { "it is \($0)" } ?? "the queue does not know it")\n"
                )
                return false
            }
            let letter = await session.lookingForFiles(of: [found])[0]
            let trail = try await Self.trail(of: id, in: session.store)
            try printAnswer(
                json
                    ? JSONText.write(DeadLetterDocument(letter, trail: trail))
                    : Self.text(letter, trail?.lines ?? ["not known"]))
            return true
        }
    }

    /// Its audit entries; `nil`, with a note on the error stream, while the record is away: the queue knows the rest.
    private static func trail(
        of id: CaptureID, in store: PostgresCaptureStore
    ) async throws(StoreError) -> AuditTrail? {
        do throws(StoreError) {
            return try await AuditTrail(of: "\(id)", in: store)
        } catch {
            guard error.isTransient else { throw error }
            standardError("capturectl: without its audit: PostgreSQL: \(ShownText.line(error.message))\n")
            return nil
        }
    }

    private static func text(_ letter: DeadLetter, _ trail: [String]) -> String {
        let status = letter.status
        let kept =
            switch letter.bytes {
            case .kept: "kept"
            case .gone: "gone"
            case .notFound: "not found by a worker, not looked for again"
            case .unknown: "unknown: Redis has lost its job, or it is malformed"
            case .unseen: "in the store \(letter.bundleStore?.rawValue ?? "?"), not looked at"
            }
        var facts = FactList()
        facts.add("capture", "\(letter.id)")
        facts.add("device", "\(status.device)")
        facts.add("reason", "\(status.reason?.rawValue ?? "—")\(status.reason.map { ": \($0.explanation)" } ?? "")")
        facts.add("fault", status.fault ?? "—")
        facts.add("attempts", "\(status.attempts)")
        facts.add("deliveries", letter.deliveries.map(String.init) ?? "—")
        facts.add("redriven", status.isRedriven ? "yes" : "no")
        facts.add("received", status.receivedAt.rfc3339)
        facts.add("last claimed", status.claimedAt?.rfc3339 ?? "—")
        facts.add("given up", letter.diedAt.rfc3339)
        facts.add("photo", letter.photoBytes.map { TerminalText.bytes($0) } ?? "—")
        facts.add("depth map", letter.depthBytes.map { TerminalText.bytes($0) } ?? "—")
        facts.add("bytes", kept)
        facts.add("audit", trail)
        return facts.text
    }
}
