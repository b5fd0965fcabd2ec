import CaptureModel
import HTML

/// What was looked at in a capture, and what came of it.
struct CheckTable: Sendable {
    let result: ProvenanceResult

    @MarkupBuilder
    var markup: Markup {
        table
        if result.verdict == .verified, result.confidence != .high {
            let isAttested = result.attestationLevel == .secureEnclave
            Markup.p("class" => "hint") {
                "The confidence of \(isAttested ? "an attested" : "an unverified") device begins at "
                "\(result.attestationLevel.confidenceMax.rawValue). Each warning lowers it by a step, and evidence that "
                "is missing by one step in all."
            }
        }
    }

    private var table: Markup {
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
                                let kind = check.isWarning ? "warning" : check.outcome.rawValue
                                Markup.span("class" => "state \(kind)") {
                                    // A check that would reject only where the rollout is enforced lowers nothing.
                                    check.reason == .rolloutWouldReject ? "mark" : kind
                                }
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
