import CaptureModel
import CaptureOperations
import CaptureQueue

/// The queue as `stats` and `watch` show it to people.
struct OverviewText {
    let overview: QueueOverview
    let terminal: Terminal
    /// The pause, if known.
    var pause: NotedPause?

    /// All parts: load, rates, reasons, workers.
    var text: String { [fill, spans, reasons, workers].filter { !$0.isEmpty }.joined(separator: "\n\n") }

    /// All parts, ordered so that the most important ones fit a terminal that is too small.
    var frame: String { [fill, spans, workers, reasons].filter { !$0.isEmpty }.joined(separator: "\n\n") }

    /// The overview in one line, for logs.
    var line: String {
        let (load, minute) = (overview.load, overview.lastMinute)
        let alive = overview.workers.count(where: \.isAlive)
        return "queued \(load.captures)  oldest \(Self.age(load.oldestLaneAge))  dead \(load.deadLetters)  "
            + "workers \(alive)  settled/s \(Self.rate(minute))  verified \(minute.verified)  "
            + "rejected \(minute.rejected)  failed \(minute.failed)\(load.isPaused ? "  PAUSED" : "")"
    }

    private var fill: String {
        let load = overview.load
        var facts = FactList(on: terminal)
        facts.add("queued", "\(load.captures) of \(load.capturesMax)")
        facts.add("bytes", "\(TerminalText.bytes(load.bytes)) of \(TerminalText.bytes(load.bytesMax))")
        facts.add("oldest lane", Self.age(load.oldestLaneAge))
        facts.add("lanes", "\(load.readyLanes) ready, \(load.leasedLanes) in work, \(load.delayedLanes) put off")
        facts.add("dead letters", "\(load.deadLetters)", load.deadLetters > 0 ? .bad : nil)
        let paused = "\(pause?.text ?? "yes"): capturectl resume"
        facts.add("paused", load.isPaused ? paused : nil, .notable)
        return facts.text
    }

    private var spans: String {
        var table = TextTable([
            ("last", .leading), ("accepted", .trailing), ("verified", .trailing), ("rejected", .trailing),
            ("failed", .trailing), ("a second", .trailing), ("median", .trailing), ("95 %", .trailing),
        ])
        let spans = [("minute", overview.lastMinute), ("hour", overview.lastHour), ("day", overview.lastDay)]
        for (name, tally) in spans {
            table.append([
                name, "\(tally.accepted)", "\(tally.verified)", "\(tally.rejected)", "\(tally.failed)",
                Self.rate(tally), Self.time(tally.latencies.quantile(0.5)),
                Self.time(tally.latencies.quantile(0.95)),
            ])
        }
        let text = table.text(for: terminal, flexible: nil)
        guard let since = overview.countedSince else { return text }
        let note = "counted since \(since.rfc3339), when Redis had lost its data or was new"
        return "\(text)\n\(terminal.tinted(note, .notable))"
    }

    /// Captures settled per second, with more decimals for low rates.
    private static func rate(_ tally: Tally) -> String {
        let rate = tally.perSecond(tally.settled)
        return "\(Figure.rounded(rate, rate < 0.1 ? 4 : 2))"
    }

    private var reasons: String {
        let found = overview.lastDay.reasons.sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }
        guard !found.isEmpty else { return "" }
        var table = TextTable([
            ("not verified, by reason", .leading), ("minute", .trailing), ("hour", .trailing), ("day", .trailing),
        ])
        for (reason, count) in found {
            table.append([
                reason.rawValue, "\(overview.lastMinute.reasons[reason] ?? 0)",
                "\(overview.lastHour.reasons[reason] ?? 0)", "\(count)",
            ])
        }
        return table.text(for: terminal, flexible: nil)
    }

    private var workers: String {
        guard !overview.workers.isEmpty else { return terminal.tinted("no worker", .bad) }
        var table = TextTable(
            [
                ("worker", .leading), ("state", .leading), ("lanes", .trailing), ("started", .leading),
                ("version", .leading),
            ]
        ) { column, text in column == 1 ? (text == "alive" ? .good : .bad) : nil }
        for worker in overview.workers {
            table.append([
                worker.name, worker.isAlive ? "alive" : "silent for \(TerminalText.age(worker.silence))",
                "\(worker.leasedLanes)", worker.startedAt.rfc3339, worker.version,
            ])
        }
        return table.text(for: terminal, flexible: 0)
    }

    private static func age(_ age: Duration?) -> String { age.map(TerminalText.age) ?? "—" }

    private static func time(_ quantile: LatencyQuantile?) -> String {
        guard let quantile else { return "—" }
        return quantile.text { time in
            let milliseconds = time / .milliseconds(1)
            return milliseconds < 1000
                ? "\(Int(milliseconds.rounded())) ms" : "\((milliseconds / 100).rounded() / 10) s"
        }
    }
}
