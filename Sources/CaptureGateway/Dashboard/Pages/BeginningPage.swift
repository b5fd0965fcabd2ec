import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// `/dashboard/captures?q=…`: the captures and devices whose ids begin alike, where there are several.
struct BeginningPage: Sendable {
    /// What was searched for.
    let text: String
    let captures: [ListedCapture]
    let devices: [Device]
    /// Whether there may be more.
    let isCut: Bool

    func markup(_ shell: Shell) -> Markup {
        shell.page("Ids that begin alike", .captures) {
            Markup.div("class" => "title") {
                Markup.h1 { "Ids that begin alike" }
                SearchForm(text: text).markup
            }
            if isCut {
                Markup.p("class" => "notice warn", "role" => "status") {
                    "Only the first \(FoundIDs.eachMax) captures and devices are listed: more characters find fewer."
                }
            }
            if !captures.isEmpty {
                Markup.div("class" => "card") { CaptureTable(captures: captures, now: shell.now).markup }
            }
            if !devices.isEmpty { Markup.div("class" => "card") { table(shell.now) } }
        }
    }

    private func table(_ now: Timestamp) -> Markup {
        scrollable("Devices") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["Device", "Model", "Registered"] { Markup.th("scope" => "col") { title } }
                    }
                }
                Markup.tbody {
                    for device in devices {
                        Markup.tr {
                            Markup.td { Wording.device(device.id) }
                            Markup.td { Markup.bdi { device.model } }
                            Markup.td { Wording.ago(device.registeredAt, now) }
                        }
                    }
                }
            }
        }
    }
}
