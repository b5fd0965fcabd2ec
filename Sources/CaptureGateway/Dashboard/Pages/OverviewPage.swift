import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// `/dashboard`: how the queue is, at a glance.
struct OverviewPage: Sendable {
    let overview: QueueOverview
    /// The latest minutes and hours, oldest first.
    let minutes: [Tally]
    let hours: [Tally]
    /// Whether PostgreSQL does not do its work for this gateway.
    var isRecordAway = false
    /// Whether this gateway does not reach the bundle directory.
    var areBundlesAway = false

    func markup(_ shell: Shell) -> Markup {
        var shell = shell
        shell.load = overview.load
        return shell.page("Overview", .overview, live: true) {
            Markup.div("class" => "title") {
                Markup.h1 { "Overview" }
                Markup.div("id" => "actions-live", "class" => "live-part") {
                    if shell.user.isOperator { pauseForm(shell) }
                }
            }
            warnings
            Markup.div("id" => "overview-live", "class" => "live-part") {
                Tile.row(tiles)
                if let since = overview.countedSince {
                    Markup.p("class" => "hint") {
                        "These numbers count from "
                        Wording.moment(since)
                        " on: Redis had lost its data then, or was new."
                    }
                }
                Markup.div("class" => "columns") {
                    card("Results by minute", id: "throughput") { Chart.outcomes("Results, last hour", minutes).bars }
                    card("From acceptance to result", id: "latency") {
                        Chart.latencies("Time, last hour, logarithmic", minutes).lines
                    }
                    card("Results by hour", id: "day") { Chart.outcomes("Results, last day", hours).bars }
                    card("Verdicts", id: "verdicts") {
                        verdicts
                        Wording.countsGivingUp
                    }
                }
                card("Workers", id: "workers") { workers }
            }
        }
    }

    private func pauseForm(_ shell: Shell) -> Markup {
        shell.form(.actOnQueue, class: "inline") {
            if overview.load.isPaused {
                Markup.button("name" => "action", "value" => QueueSwitch.resume.rawValue, "class" => "primary") {
                    "Resume the queue"
                }
            } else {
                Markup.button("name" => "action", "value" => QueueSwitch.pause.rawValue) { "Pause the queue" }
            }
        }
    }

    private var tiles: [Tile] {
        let load = overview.load
        let minute = overview.lastMinute
        let alive = overview.workers.count(where: \.isAlive)
        let age = load.oldestLaneAge
        return [
            Tile(
                title: "Waiting", value: Wording.number(load.captures),
                hint: "\(Wording.bytes(load.bytes)) of \(Wording.bytes(load.bytesMax))\(Self.fullness(of: load))",
                mood: load.fill >= 1 ? "bad" : load.fill > Self.fillCalm ? "warn" : "",
                // No list has these alone: some may be in hand or put off.
                address: Page.captures.address),
            Tile(
                title: "Oldest lane", value: age.map { Wording.duration($0) } ?? "–",
                hint: age == nil ? "nothing waits" : "waiting, in hand or put off",
                mood: age.map { $0 > .seconds(60) ? "bad" : $0 > .seconds(10) ? "warn" : "" } ?? ""),
            Tile(
                title: "Lanes put off", value: Wording.number(load.delayedLanes),
                hint: "\(Wording.number(load.readyLanes)) ready, \(Wording.number(load.leasedLanes)) in hand",
                mood: load.delayedLanes > 0 ? "warn" : "good", address: "\(Page.captures.address)?state=retrying"),
            Tile(
                title: "Accepted, last minute", value: "\(Wording.decimal(minute.perSecond(minute.accepted)))/s",
                hint: "\(Wording.number(overview.lastDay.accepted)) in a day"),
            Tile(
                title: "Settled, last minute", value: "\(Wording.decimal(minute.perSecond(minute.settled)))/s",
                hint: "\(Wording.number(overview.lastDay.settled)) in a day"),
            Tile(
                title: "Median time, last hour",
                value: overview.lastHour.latencies.quantile(0.5).map { $0.text(Wording.duration) } ?? "–",
                hint: overview.lastHour.latencies.quantile(0.95).map { "95 %: \($0.text(Wording.duration))" }
                    ?? ""),
            Tile(
                title: "Dead letters", value: Wording.number(load.deadLetters),
                hint: load.deadLetters > 0 ? "kept until you decide" : "", mood: load.deadLetters > 0 ? "warn" : "good",
                address: Page.dead.address),
            Tile(
                title: "Workers", value: Wording.number(alive),
                hint: "\(Wording.number(load.leasedLanes)) lanes in hand", mood: alive == 0 ? "bad" : "good"),
        ]
    }

    /// Up to this the queue has room; the alert `CaptureQueueFilling` begins there as well.
    private static let fillCalm = 0.8

    /// Said where uploads are refused soon: neither number beside it tells of captures, or of one full partition.
    private static func fullness(of load: QueueLoad) -> String {
        load.fill > fillCalm ? ", \(Int(min(load.fill, 1) * 100)) % full" : ""
    }

    private var verdicts: Markup {
        let day = overview.lastDay
        let total = max(1, day.verified + day.rejected + day.failed)
        return scrollable("Table of verdicts") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        Markup.th("scope" => "col") { "Last day" }
                        Markup.th("scope" => "col", "class" => "number") { "Times" }
                        Markup.th("scope" => "col", "class" => "number") { "Share" }
                    }
                }
                Markup.tbody {
                    for (state, count) in [
                        (CaptureState.verified, day.verified), (.rejected, day.rejected), (.failed, day.failed),
                    ] {
                        Markup.tr {
                            Markup.td { Wording.state(state) }
                            Markup.td("class" => "number") { Wording.number(count) }
                            Markup.td("class" => "number") { Wording.share(count, of: total) }
                        }
                        for (reason, count) in reasons(of: state) {
                            Markup.tr {
                                Markup.td("class" => "inset") {
                                    Markup.a("href" => Wording.address(of: reason)) {
                                        Wording.sentence(reason.explanation)
                                    }
                                }
                                Markup.td("class" => "number") { Wording.number(count) }
                                Markup.td("class" => "number") { Wording.share(count, of: total) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The reasons for a state on the last day, the most frequent first.
    private func reasons(of state: CaptureState) -> [(Reason, Int)] {
        overview.lastDay.reasons
            .filter { Reason.ofDeadLetters.contains($0.key) ? state == .failed : state == .rejected }
            .sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { ($0.key, $0.value) }
    }

    private var workers: Markup {
        guard !overview.workers.isEmpty else {
            return Markup.p("class" => "empty bad") { "No worker has given a sign of life: nothing is verified." }
        }
        return scrollable("Table of workers") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["Worker", "State", "Version", "Started", "Last sign"] {
                            Markup.th("scope" => "col") { title }
                        }
                        Markup.th("scope" => "col", "class" => "number") { "Lanes in hand" }
                    }
                }
                Markup.tbody {
                    for worker in overview.workers {
                        Markup.tr {
                            Markup.td { Markup.code { worker.name } }
                            Markup.td {
                                Markup.span("class" => worker.isAlive ? "state verified" : "state failed") {
                                    worker.isAlive ? "alive" : "silent"
                                }
                            }
                            Markup.td { worker.version }
                            Markup.td { Wording.moment(worker.startedAt) }
                            Markup.td { "\(Wording.duration(worker.silence)) ago" }
                            Markup.td("class" => "number") { Wording.number(worker.leasedLanes) }
                        }
                    }
                }
            }
        }
    }
}
