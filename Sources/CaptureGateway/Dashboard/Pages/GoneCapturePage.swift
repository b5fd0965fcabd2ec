import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// `/dashboard/captures/{id}` of a capture that neither queue nor record knows, but the audit does.
struct GoneCapturePage: Sendable {
    let id: CaptureID
    let audit: AuditTrail

    /// A discard that was noted but not done does not count.
    private var isDiscarded: Bool { audit.entries.lastDone(of: [.captureDiscard]) != nil }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Capture \(Wording.beginning(of: id))", .capture) {
            Markup.div("class" => "title") {
                Markup.h1 {
                    "Capture "
                    Markup.code { id.description }
                }
            }
            Markup.div("class" => "headline") {
                Markup.span("class" => "state") { isDiscarded ? "discarded" : "unknown" }
                Markup.p {
                    isDiscarded
                        ? "An operator has deleted it for good, with its bytes."
                        : "Neither the queue nor the record knows it any more."
                }
            }
            card("What operators did", id: "audit") { AuditTable(trail: audit).markup }
        }
    }
}
