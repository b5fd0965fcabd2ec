import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// `/dashboard/dead`: what was given up, by its fault, and what can be done about it.
struct DeadPage: Sendable {
    /// Which letters are shown where there is no room for all.
    enum Order: String, CaseIterable, Sendable { case oldest, newest }

    /// The name of the order in the page's query.
    static let orderField = "order"
    /// Letters of one group that are shown, and can be chosen one by one.
    static let shownMax = 50

    let survey: DeadLetterSurvey
    var order = Order.oldest

    /// The address of the page in an order.
    static func address(_ order: Order) -> String { "\(Page.dead.address)?\(orderField)=\(order.rawValue)" }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Dead letters", .dead) {
            Markup.div("class" => "title") {
                Markup.h1 { "Dead letters" }
                if shell.user.isOperator, !survey.groups.isEmpty {
                    shell.form(.actOnDead, class: "inline") { buttons("all", survey.letters) }
                }
            }
            Markup.p("class" => "lead") {
                "Captures that were given up stay here until somebody decides, with their bytes unless a server has lost them. "
                "A redrive gives them all their attempts again; discarding deletes them for good. Who did it is noted before "
                "it is done."
            }
            if survey.isPartial || survey.groups.contains(where: { $0.letters.count > Self.shownMax }) {
                Markup.nav("class" => "tabs", "aria-label" => "Order") {
                    for other in Order.allCases { tab(other) }
                }
            }
            if survey.isPartial {
                Markup.p("class" => "notice") {
                    "There are more: the \(order.rawValue) \(Wording.number(survey.letters.count)) are grouped here, and the "
                    "buttons are for those."
                }
            }
            if survey.groups.isEmpty { Markup.p("class" => "empty card") { "There is none." } }
            if survey.groups.count > 1 { LetterGroupTable(groups: survey.groups, now: shell.now).markup }
            for (index, group) in survey.groups.enumerated() { section(group, index + 1, shell) }
        }
    }

    private func tab(_ other: Order) -> Markup {
        let address = "href" => Self.address(other)
        let title = "\(Wording.sentence(other.rawValue)) first"
        return other == order
            ? Markup.a(address, "aria-current" => "true") { title } : Markup.a(address) { title }
    }

    /// What is said where bytes are gone.
    static var goneHint: Markup {
        Markup.p("class" => "hint") {
            "Where the bytes are gone a redrive ends here again: only the same upload, sent once more, brings them back, "
            "and the capture with them."
        }
    }

    /// What is said where a worker did not find bytes, and nobody has looked for them since.
    static var notFoundHint: Markup {
        Markup.p("class" => "hint") {
            "Where a worker did not find the bytes a redrive ends here again, unless they were brought back since: by a "
            "backup, or by the same upload, sent once more. "
            Markup.code { "capturectl dead show" }
            " looks for them."
        }
    }

    /// What is said where Redis has lost jobs, or they are malformed.
    static var lostHint: Markup {
        Markup.p("class" => "hint") {
            "Where Redis has lost the job, or it is malformed, a redrive puts the capture back as the ledger has it. If the "
            "ledger does not have it, a redrive ends here again."
        }
    }

    /// What is said where bytes are not those that were accepted.
    static var changedHint: Markup {
        Markup.p("class" => "hint") {
            "While the stored bytes are not the ones that were accepted, a redrive ends here again: only the same upload, "
            "sent once more, replaces them, and puts the capture back."
        }
    }
}

extension DeadLetter {
    /// Whether a redrive would find no bytes, as far as is known, or once more those that were not accepted.
    var isRedriveInVain: Bool { bytes.areMissing || status.reason == .bundleCorrupt }
}

extension DeadLetterSurvey.Group {
    /// The size of their bytes, as far as they are there.
    var size: String {
        guard letters.allSatisfy(\.bytes.areMissing) else {
            return letters.allSatisfy { $0.size == nil } ? "size unknown" : Wording.bytes(figures.bytes)
        }
        return letters.contains { $0.bytes == .notFound } ? "no bytes found" : "no bytes"
    }

    /// The group's name in forms, a digest of reason and fault: browsers change line breaks, which a fault may have.
    var name: String { SHA256Digest.hash(Array("\(reason?.rawValue ?? "")\n\(fault)".utf8)).hex }
}
