import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// `capturectl pause`: tells all workers to claim nothing.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Tells all workers to claim nothing more.",
        discussion: """
            What they have in hands is finished; gateways go on accepting until the queue is full. It stays so, over \
            restarts too, until `capturectl resume`, or until Redis loses its data. `GET /api/v1/queue` shows it as \
            "paused". The audit notes who did it.

            Examples:
              capturectl pause
              capturectl pause --actor "alice, ticket 4711" --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func run() async throws { try await Pausing.tell(to: .pause, options, actor) }
}

/// `capturectl resume`: lets the workers go on.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets the workers claim again after `capturectl pause`.",
        discussion: """
            Examples:
              capturectl resume

            \(CommandEnd.help)
            """
    )

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func run() async throws { try await Pausing.tell(to: .resume, options, actor) }
}

private enum Pausing {
    private struct Answer: Encodable {
        let paused: Bool
        let changed: Bool
        let captures: Int
        let leasedLanes: Int
        /// Since when and by whom it is or was paused, as far as that is known.
        @OrNull var since: String?
        @OrNull var actor: String?

        enum CodingKeys: String, CodingKey {
            case paused, changed, captures, since, actor
            case leasedLanes = "leased_lanes"
        }
    }

    static func tell(to change: QueueSwitch, _ options: OperatorOptions, _ actor: ActorOption) async throws {
        let (json, name) = (options.json, actor.name)
        try await OperatorSession.run(options) { session in
            let earlier = await session.notedPause()
            let changed = try await tell(session.actions(on: session.ownQueue()), to: change, by: name)
            let hasBegun = change.isPause && changed
            // The pause that has just begun, that lasts, or that has just ended; a resume of no pause has none.
            let pause = hasBegun ? await session.notedPause() : change.isPause || changed ? earlier : nil
            let load = try await session.queue.load()
            let answer = Answer(
                paused: change.isPause, changed: changed, captures: load.captures, leasedLanes: load.leasedLanes,
                // The audit may not answer at once, but who has just paused the queue is known.
                since: pause?.since.rfc3339, actor: pause?.actor ?? (hasBegun ? name : nil)
            )
            try printAnswer(json ? JSONText.write(answer) : session.servers.preview(text(answer, pause)))
            return true
        }
    }

    /// Changes the queue; if the audit may be wrong afterwards, reports that beside the fault.
    private static func tell(
        _ actions: QueueActions, to change: QueueSwitch, by actor: String
    ) async throws(ServerFault) -> Bool {
        do throws(QueueSwitchFault) {
            return try await actions.tellQueue(to: change, by: actor)
        } catch {
            if error.isAuditAhead { standardError("capturectl: \(change.auditDoubt)\n") }
            throw error.fault
        }
    }

    private static func text(_ answer: Answer, _ pause: NotedPause?) -> String {
        let captures = "\(answer.captures) \(answer.captures == 1 ? "capture waits" : "captures wait")"
        let since = pause.map { " \($0.text)" } ?? ""
        guard answer.changed else {
            return answer.paused ? "paused already\(since); \(captures)" : "not paused; \(captures)"
        }
        guard answer.paused else { return "resumed\(pause == nil ? "" : ", paused")\(since); \(captures)" }
        return "paused; \(captures), \(TerminalText.are(answer.leasedLanes, "lane")) still being worked"
    }
}
