import ArgumentParser
import CaptureModel
import CaptureQueue
import RedisCaptureQueue

/// `capturectl watch`: shows the state of the queue again and again.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the queue live until Ctrl-C.",
        usage: "capturectl watch [<options>]",
        discussion: """
            On a terminal as much of `capturectl stats` as fits is drawn anew in place; elsewhere there is a line each time, \
            with --json an object on a line, with the time of the look (`at`). While Redis is away it says so, with --json \
            as `fault`, and goes on when it is back; with --count it ends with 69 if Redis is away at the last look, and \
            with 70 if it refuses. When the reader of its pipe is gone it ends at its next line, with exit code 141 as \
            SIGPIPE would have it.

            Examples:
              capturectl watch
              capturectl watch --interval 10 >>queue.log
              capturectl watch --json --count 60 --interval 1

            \(CommandEnd.help)
            """
    )

    @Option(help: ArgumentHelp("Seconds between two looks, 0.2 to 3600.", valueName: "seconds"))
    var interval = 2.0

    @Option(help: ArgumentHelp("Stop after so many looks, 1 or more. (default: never)", valueName: "looks"))
    var count: Int?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        guard (0.2...3600).contains(interval) else { throw ValidationError("--interval takes 0.2 to 3600 seconds") }
        guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count takes 1 or more") }
    }

    func run() async throws {
        let (json, looks, pause) = (options.json, count, Duration.milliseconds(Int(interval * 1000)))
        try await OperatorSession.run(options, checksInstallation: false) { session in
            let queue = session.onlyLooking.queue
            var seen = 0
            var (fault, hasShown) = (QueueError?.none, false)
            while looks.map({ seen < $0 }) ?? true {
                if seen > 0 { try await Task.sleep(for: pause) }
                seen += 1
                // Read anew each time: the window may have been resized.
                let terminal = Terminal.current
                let overview: QueueOverview
                do throws(QueueError) {
                    // A watch that has begun goes on while the queue is repartitioned.
                    try await QueuePartitions.field.refuseOther(
                        than: queue.keyspace.partitions, in: queue.keyspace, on: session.redis)
                    overview = try await queue.overview()
                } catch {
                    // If Redis has lost its functions since, the running programs load them again.
                    guard error.isTransient || hasShown else { throw error }
                    fault = error
                    try Self.say(
                        "\(error.isTransient ? "Redis is away" : "Redis refuses"): \(error.message)", json: json,
                        on: terminal)
                    continue
                }
                (fault, hasShown) = (nil, true)
                try Self.show(overview, json: json, on: terminal)
            }
            // With a fixed count, the exit code is that of the last look.
            if let fault { throw fault }
            return true
        }
    }

    private static func show(_ overview: QueueOverview, json: Bool, on terminal: Terminal) throws {
        let now = Timestamp.systemTime()
        let text = OverviewText(overview: overview, terminal: terminal)
        if json {
            try emit(JSONText.write(WatchDocument(overview, at: now)))
        } else if !terminal.canSteer {
            try emit("\(now.rfc3339)  \(text.line)")
        } else {
            try draw(text.frame, at: now, on: terminal)
        }
    }

    /// Shows a message: as an object, or in place of what the screen showed.
    ///
    /// Without either it goes to the error stream, as each line in a pipe is an overview.
    private static func say(_ words: String, json: Bool, on terminal: Terminal) throws {
        let now = Timestamp.systemTime()
        if json {
            try emit(JSONText.write(WatchDocument(fault: words, at: now)))
        } else if !terminal.canSteer {
            standardError("\(now.rfc3339)  \(words)\n")
        } else {
            try draw(terminal.tinted(ShownText.line(words), .bad), at: now, on: terminal)
        }
    }

    /// Draws from the top left, erasing the old rest of each line and all below (ECMA-48), without flicker.
    ///
    /// The time below tells that it still looks.
    private static func draw(_ text: String, at now: Timestamp, on terminal: Terminal) throws(OutputClosed) {
        let frame = terminal.frame(text, foot: terminal.tinted("\(now.rfc3339)   Ctrl-C ends", .faint))
        try standardOutput(
            "\u{1B}[H" + frame.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\u{1B}[K\n")
                + "\u{1B}[K\n\u{1B}[J")
    }

    /// Writes at once, so that the reader of a pipe does not wait for a full buffer.
    private static func emit(_ text: String) throws(OutputClosed) { try standardOutput(text + "\n") }
}
