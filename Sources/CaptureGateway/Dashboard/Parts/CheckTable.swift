import CaptureModel
import HTML

/// What was looked at in a capture, and what came of it.
struct CheckTable: Sendable {
    let result: ProvenanceResult

    var markup: Markup {
        scrollable("Checks") {
            Markup.table {
                Markup.thead {
                    Markup.tr { for title in ["Check", "Outcome", "Why"] { Markup.th("scope" => "col") { title } } }
                }
                Markup.tbody {
                    for check in result.checks {
                        Markup.tr {
                            Markup.td { check.name.rawValue.split(separator: "_").joined(separator: " ") }
                            Markup.td {
                                Markup.span("class" => "state \(check.outcome.rawValue)") { check.outcome.rawValue }
                            }
                            Markup.td {
                                if let reason = check.reason {
                                    "\(reason.explanation(redriven: result.isRedriven)) "
                                    Markup.code { reason.rawValue }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
