import CaptureModel
import CaptureOperations
import HTML

/// The groups of dead letters as a table, each row leading to the group's own part of the page.
struct LetterGroupTable: Sendable {
    /// How much of a fault is shown, in Unicode scalars; the group's own part has the whole.
    private static let faultMax = 120

    /// The groups in the order of their numbers.
    let groups: [DeadLetterSurvey.Group]
    let now: Timestamp

    var markup: Markup {
        card("Groups", id: "groups") {
            scrollable("Groups of dead letters") {
                Markup.table {
                    Markup.thead {
                        Markup.tr {
                            for title in ["Group", "Reason", "Fault"] { Markup.th("scope" => "col") { title } }
                            for title in ["Captures", "Devices"] {
                                Markup.th("scope" => "col", "class" => "number") { title }
                            }
                            Markup.th("scope" => "col") { "Last given up" }
                        }
                    }
                    Markup.tbody { for (index, group) in groups.enumerated() { row(group, index + 1) } }
                }
            }
        }
    }

    private func row(_ group: DeadLetterSurvey.Group, _ number: Int) -> Markup {
        Markup.tr {
            Markup.td { Markup.a("href" => "#\(group.element)") { group.heading(number) } }
            Markup.td { Wording.reason(group.reason) }
            Markup.td { Markup.bdi { Self.beginning(group.fault) } }
            Markup.td("class" => "number") { Wording.number(group.letters.count) }
            Markup.td("class" => "number") { Wording.number(group.figures.devices) }
            Markup.td { Wording.ago(group.figures.newest, now) }
        }
    }

    private static func beginning(_ fault: String) -> String {
        let scalars = fault.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: faultMax, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return fault }
        return "\(String(scalars[..<end]))…"
    }
}
