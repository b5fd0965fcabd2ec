import CaptureModel
import CaptureQueue
import HTML

/// `/dashboard/rejections`: why captures were not accepted, over time.
struct RejectionsPage: Sendable {
    /// The latest hours, oldest first.
    let hours: [Tally]
    let latest: CaptureListing.Page

    /// Reasons that get a colour of their own; the others share one.
    private static let coloured = 5

    func markup(_ shell: Shell) -> Markup {
        let total = Tally.sum(hours)?.reasons ?? [:]
        let reasons = total.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
        return shell.page("Rejections", .rejections, live: true) {
            Markup.div("class" => "title") { Markup.h1 { "Rejections" } }
            Markup.div("id" => "rejections-live", "class" => "live-part") {
                card("By reason, last two days", id: "by-reason") {
                    if reasons.isEmpty {
                        Markup.p("class" => "empty") { "Nothing was rejected or given up." }
                    } else {
                        chart(reasons.map(\.key)).bars
                        table(reasons)
                        Wording.countsGivingUp
                    }
                }
                card("Latest", id: "latest") {
                    CaptureTable(captures: latest.captures, now: shell.now).markup
                    Markup.p {
                        Markup.a("href" => "\(Page.captures.address)?state=rejected") { "All rejected captures" }
                    }
                }
            }
        }
    }

    private func chart(_ reasons: [Reason]) -> Chart {
        var series = reasons.prefix(Self.coloured).enumerated().map { index, reason in
            Chart.Series(title: reason.rawValue, style: "reason-\(index)") { .count($0.reasons[reason] ?? 0) }
        }
        let others = reasons.dropFirst(Self.coloured)
        if !others.isEmpty {
            series.append(
                Chart.Series(title: "others", style: "others") { tally in
                    .count(others.reduce(0) { $0 + (tally.reasons[$1] ?? 0) })
                })
        }
        return Chart(title: "Rejected and given up, by hour", tallies: hours, series: series)
    }

    private func table(_ reasons: [(key: Reason, value: Int)]) -> Markup {
        scrollable("Reasons") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        Markup.th("scope" => "col") { "Reason" }
                        Markup.th("scope" => "col") { "Meaning" }
                        Markup.th("scope" => "col", "class" => "number") { "Times" }
                    }
                }
                Markup.tbody {
                    for (reason, count) in reasons {
                        Markup.tr {
                            Markup.td {
                                Markup.a("href" => Wording.address(of: reason)) {
                                    Markup.code { reason.rawValue }
                                }
                            }
                            Markup.td { reason.explanation }
                            Markup.td("class" => "number") { Wording.number(count) }
                        }
                    }
                }
            }
        }
    }
}
