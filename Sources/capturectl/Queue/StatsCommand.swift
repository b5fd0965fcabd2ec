import ArgumentParser
import CaptureOperations
import CaptureQueue
import RedisCaptureQueue

/// `capturectl stats`: shows the state of the queue once.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows how full the queue is, how fast it is worked, by whom, and what was not verified.",
        discussion: """
            Costs the same however many captures wait. The numbers of the last minute, hour and day are the queue's own; \
            results for good are in PostgreSQL: `capturectl captures list`. --json prints what `GET /api/v1/queue` answers.

            Examples:
              capturectl stats
              capturectl stats --json | jq .dead_letters

            \(CommandEnd.help)
            """
    )

    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let json = options.json
        try await OperatorSession.run(options, checksInstallation: false) { session in
            let keyspace = session.queue.keyspace
            try await QueuePartitions.field.refuseOther(than: keyspace.partitions, in: keyspace, on: session.redis)
            let overview = try await session.onlyLooking.queue.overview()
            guard !json else {
                try printAnswer(JSONText.write(QueueDocument(overview)))
                return true
            }
            let pause = overview.load.isPaused ? await session.notedPause() : nil
            try printAnswer(OverviewText(overview: overview, terminal: .current, pause: pause).text)
            return true
        }
    }
}
