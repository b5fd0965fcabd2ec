import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// The letters of one reason and fault, and what can be done with them.
extension DeadPage {
    /// - Parameter number: Its number on the page, which tells it from others of the same reason.
    func section(_ group: DeadLetterSurvey.Group, _ number: Int, _ shell: Shell) -> Markup {
        let title = "\(group.heading(number)) (\(Wording.number(group.letters.count)))"
        let description = "aria-describedby" => "\(group.element)-title"
        let question = LetterQuestionPage.question(.discard, group.letters, of: "the chosen captures")
        return card(title, id: group.element) {
            Markup.p {
                Wording.reason(group.reason)
                // Its heading says the reason in words.
                if !group.fault.hasBytes(of: group.reason?.explanation) {
                    " "
                    Markup.bdi { group.fault }
                }
            }
            if group.letters.contains(where: { $0.bytes == .gone }) { Self.goneHint }
            if group.letters.contains(where: { $0.bytes == .notFound }) { Self.notFoundHint }
            if group.letters.contains(where: { $0.size == nil }) { Self.lostHint }
            if group.reason == .bundleCorrupt { Self.changedHint }
            figures(group, shell.now)
            if shell.user.isOperator {
                shell.form(.actOnDead) {
                    Markup.input("type" => "hidden", "name" => "group", "value" => group.name)
                    table(group, number, shell.now, canChoose: true)
                    Markup.div("class" => "buttons") {
                        Markup.button(
                            "name" => "action", "value" => "redrive",
                            "class" => group.letters.allSatisfy(\.isRedriveInVain) ? "" : "primary", description
                        ) { "Redrive the chosen" }
                        Markup.button(
                            "name" => "action", "value" => "discard", "class" => "danger",
                            "data-confirm" => question, description
                        ) { "Discard the chosen" }
                        buttons("group", group.letters, description)
                    }
                }
            } else {
                table(group, number, shell.now, canChoose: false)
            }
        }
    }

    /// How many devices are concerned, how many bytes are kept, and whether the group still grows.
    private func figures(_ group: DeadLetterSurvey.Group, _ now: Timestamp) -> Markup {
        Markup.p("class" => "hint") {
            "\(Wording.count(group.figures.devices, "device")), "
            group.size
            ". First given up "
            Wording.moment(group.figures.oldest)
            ", last "
            Wording.ago(group.figures.newest, now)
            "."
        }
    }

    /// The letters that there is room for, and the way to the others.
    @MarkupBuilder
    private func table(
        _ group: DeadLetterSurvey.Group, _ number: Int, _ now: Timestamp, canChoose: Bool
    ) -> Markup {
        let letters: [DeadLetter] = order == .oldest ? group.letters : group.letters.reversed()
        LetterTable(
            letters: Array(letters.prefix(Self.shownMax)), name: "Captures of group \(number)", now: now,
            canChoose: canChoose
        ).markup
        if letters.count > Self.shownMax {
            Markup.p("class" => "hint") {
                "and \(Wording.number(letters.count - Self.shownMax)) more: "
                Markup.a("href" => group.address) {
                    group.isListedByReason ? "all of this reason, oldest first" : "all dead letters, oldest first"
                }
            }
        }
    }

    /// Buttons for these letters, oldest first, and for none that come later.
    /// - Parameter description: What says of which letters they are, where a page has several such buttons.
    func buttons(_ scope: String, _ letters: [DeadLetter], _ description: Attribute...) -> [Markup] {
        let whole = scope == "all" ? "all \(Wording.number(letters.count))" : "the whole group"
        let start = survey.start.map { Markup.input("type" => "hidden", "name" => "after", "value" => $0.description) }
        return [
            start ?? .empty,
            // So that whoever works through the newest sees the newest again.
            Markup.input("type" => "hidden", "name" => Self.orderField, "value" => order.rawValue),
            Markup.input("type" => "hidden", "name" => "until", "value" => letters.last?.position.description ?? ""),
            Markup.element(
                "button",
                [
                    "name" => "action", "value" => "redrive-\(scope)",
                    "data-confirm" => LetterQuestionPage.question(.redrive, letters),
                ] + description
            ) { "Redrive \(whole)" },
            Markup.element(
                "button",
                [
                    "name" => "action", "value" => "discard-\(scope)", "class" => "danger",
                    "data-confirm" => LetterQuestionPage.question(.discard, letters),
                ] + description
            ) { "Discard \(whole)" },
        ]
    }
}

extension DeadLetterSurvey.Group {
    /// Its reason in words, with its number on the page.
    func heading(_ number: Int) -> String {
        "\(number). \(Wording.sentence(reason?.explanation ?? "without a reason"))"
    }

    /// The id of its part of the page: the same each time, whatever other groups there are.
    var element: String { "group-\(name)" }

    /// Whether a list has the letters of its reason.
    var isListedByReason: Bool { reason.map { Reason.ofDeadLetters.contains($0) } ?? false }

    /// The list that has its letters among others.
    var address: String {
        let all = "\(Page.captures.address)?state=failed"
        return isListedByReason ? reason.map { Wording.address(of: $0) } ?? all : all
    }
}
