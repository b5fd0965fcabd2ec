import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// `capturectl captures list`.
struct CapturesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists captures, newest first.",
        usage: "capturectl captures list [<options>]",
        discussion: """
            Those with a result come from PostgreSQL for as long as it keeps them; those without from the ledger, with \
            their state in the queue, and only where `queue.durability` is `ledger`. Nothing is counted by scanning: \
            pages follow each other with --after. For a page of queued, processing or retrying ones 2,000 are looked \
            at: it may have fewer than --limit, or none, says so, and is followed by others all the same. On a \
            terminal there is less about each than otherwise, and than with --json, which prints what `GET \
            /api/v1/captures` answers.

            Examples:
              capturectl captures list
              capturectl captures list --state rejected --reason COUNTER_REPLAY \\
                  --since 2026-04-21T00:00:00Z
              capturectl captures list --state retrying --reason BUNDLE_MISSING
              capturectl captures list --device 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --limit 500 --json

            \(CommandEnd.help)
            """
    )

    /// A state on the command line.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case verified, rejected, open, queued, processing, retrying
        /// Refused with a hint where to find them: the queue lists them, the record does not.
        case failed

        /// The states that help and completion offer.
        static var allValueStrings: [String] { allCases.filter { $0 != .failed }.map(\.rawValue) }

        /// The states of captures that it stands for.
        var states: [CaptureState] {
            switch self {
            case .open: [.queued, .processing, .retrying, .failed]
            case .verified, .rejected, .queued, .processing, .retrying, .failed:
                CaptureState(rawValue: rawValue).map { [$0] } ?? []
            }
        }
    }

    @Option(
        name: [.customLong("state"), .customLong("status")],
        help: ArgumentHelp(
            """
            Only verified, rejected, queued, processing or retrying ones, or open ones (without a result, dead letters \
            included); may be repeated.
            """))
    var state: [State] = []

    @Option(
        help: ArgumentHelp(
            "Only rejected for this reason, or with --state retrying put off for it; may be repeated.",
            valueName: "code"))
    var reason: [String] = []

    @Option(
        help: ArgumentHelp("Only with this confidence: high, medium or low.", valueName: "level"),
        completion: .list(["high", "medium", "low"]))
    var confidence: String?

    @Option(help: "Only of this device.", transform: CommandValue.deviceID)
    var device: DeviceID?

    @Option(
        name: [.customLong("since"), .customLong("from")],
        help: ArgumentHelp("Only received at this time or later (RFC 3339).", valueName: "time"),
        transform: CommandValue.time)
    var since: Timestamp?

    @Option(
        name: [.customLong("until"), .customLong("to")],
        help: ArgumentHelp("Only received before this time (RFC 3339).", valueName: "time"),
        transform: CommandValue.time)
    var until: Timestamp?

    @OptionGroup var limit: LimitOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Go on after this place, which the list before has named.", valueName: "place"))
    var after: String?

    @OptionGroup var options: OperatorOptions

    func validate() throws {
        _ = try filter()
        if let after, CapturePosition(after) == nil {
            throw ValidationError("--after takes a place as a list names it, not '\(after)'")
        }
    }

    func run() async throws {
        let (filter, passes, limit, json) = (try filter(), try passes(), limit.count, options.json)
        let (position, isOfSomeOpen) = (after.flatMap { CapturePosition($0) }, isOfSomeOpen)
        try await OperatorSession.run(options) { session in
            let (store, queue) = (session.store, session.onlyLooking.queue)
            let found =
                try await isOfSomeOpen
                ? ListedPage.read(
                    filter, after: position, limit: limit, from: store, store: store, queue: queue, where: passes)
                : ListedPage.read(filter, after: position, limit: limit, from: store, store: store, queue: queue)
            let page = CapturesPage(
                captures: found.captures.filter(passes), isFirst: position == nil, next: found.next?.description,
                cutAfter: found.cutAfter)
            try printAnswer(
                json ? JSONText.write(page.document) : page.text(now: Timestamp.systemTime(), on: .current))
            return true
        }
    }
}
