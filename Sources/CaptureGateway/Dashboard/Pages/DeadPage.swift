import CaptureModel
import CaptureOperations
import CaptureQueue
import HTML

/// `/dashboard/dead`: what was given up, by its fault, and what can be done about it.
struct DeadPage: Sendable {
    /// Letters of one group that are shown, and can be chosen one by one.
    private static let shownMax = 50

    let survey: DeadLetterSurvey

    func markup(_ shell: Shell) -> Markup {
        shell.page("Dead letters", .dead) {
            Markup.div("class" => "title") {
                Markup.h1 { "Dead letters" }
                if shell.user.isOperator, !survey.groups.isEmpty {
                    shell.form(.actOnDead, class: "inline") {
                        Self.buttons("all", survey.letters)
                    }
                }
            }
            Markup.p("class" => "lead") {
                "Captures that were given up stay here until somebody decides, with their bytes unless a server has lost them. "
                "A redrive gives them all their attempts again; discarding deletes them for good. Who did it is noted before "
                "it is done."
            }
            if survey.isPartial {
                Markup.p("class" => "notice") {
                    "There are more: the oldest \(Wording.number(DeadLetterSurvey.lettersMax)) are grouped here, and the "
                    "buttons are for those."
                }
            }
            if survey.groups.isEmpty { Markup.p("class" => "empty card") { "There is none." } }
            for (index, group) in survey.groups.enumerated() { section(group, index, shell) }
        }
    }

    private func section(_ group: DeadLetterSurvey.Group, _ index: Int, _ shell: Shell) -> Markup {
        let devices = group.figures.devices
        let title = Wording.sentence(group.reason?.explanation ?? "without a reason")
        return card("\(title) (\(Wording.number(group.letters.count)))", id: "group-\(index)") {
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
            Markup.p("class" => "hint") {
                "\(Wording.count(devices, "device")), "
                group.size
            }
            if shell.user.isOperator {
                shell.form(.actOnDead) {
                    Markup.input("type" => "hidden", "name" => "group", "value" => group.name)
                    table(group, shell.now, canChoose: true)
                    Markup.div("class" => "buttons") {
                        Markup.button(
                            "name" => "action", "value" => "redrive",
                            "class" => group.letters.allSatisfy(\.isRedriveInVain) ? "" : "primary"
                        ) { "Redrive the chosen" }
                        Markup.button(
                            "name" => "action", "value" => "discard", "class" => "danger",
                            "data-confirm" => "Delete the chosen captures and their bytes for good?"
                        ) { "Discard the chosen" }
                        Self.buttons("group", group.letters)
                    }
                }
            } else {
                table(group, shell.now, canChoose: false)
            }
        }
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

    /// Buttons for these letters, oldest first, and for none that come later.
    private static func buttons(_ scope: String, _ letters: [DeadLetter]) -> [Markup] {
        let whole = scope == "all" ? "all \(Wording.number(letters.count))" : "the whole group"
        return [
            Markup.input("type" => "hidden", "name" => "until", "value" => letters.last?.position.description ?? ""),
            Markup.button(
                "name" => "action", "value" => "redrive-\(scope)",
                "data-confirm" => LetterQuestionPage.question(.redrive, letters)
            ) { "Redrive \(whole)" },
            Markup.button(
                "name" => "action", "value" => "discard-\(scope)", "class" => "danger",
                "data-confirm" => LetterQuestionPage.question(.discard, letters)
            ) { "Discard \(whole)" },
        ]
    }

    private func table(_ group: DeadLetterSurvey.Group, _ now: Timestamp, canChoose: Bool) -> Markup {
        scrollable("Dead letters") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        if canChoose { Markup.th("scope" => "col") { Markup.span("class" => "hidden") { "Chosen" } } }
                        for title in ["Capture", "Device", "Given up"] { Markup.th("scope" => "col") { title } }
                        for title in ["Attempts", "Deliveries", "Size"] {
                            Markup.th("scope" => "col", "class" => "number") { title }
                        }
                        Markup.th("scope" => "col") { "Bytes" }
                    }
                }
                Markup.tbody {
                    for letter in group.letters.prefix(Self.shownMax) { row(letter, now, canChoose: canChoose) }
                }
            }
            if group.letters.count > Self.shownMax {
                Markup.p("class" => "hint") { "and \(Wording.number(group.letters.count - Self.shownMax)) more" }
            }
        }
    }

    private func row(_ letter: DeadLetter, _ now: Timestamp, canChoose: Bool) -> Markup {
        Markup.tr {
            if canChoose {
                Markup.td {
                    Markup.input(
                        "type" => "checkbox", "name" => "letter", "value" => letter.position.description,
                        "aria-label" => "Capture \(letter.id)")
                }
            }
            Markup.td { Wording.capture(letter.id) }
            Markup.td { Wording.device(letter.status.device) }
            Markup.td { Wording.ago(letter.diedAt, now) }
            Markup.td("class" => "number") { letter.status.attempts }
            Markup.td("class" => "number") { letter.deliveries.map { Markup(String($0)) } ?? Wording.none() }
            Markup.td("class" => "number") {
                letter.bytes.areMissing
                    ? Wording.none() : letter.size.map { Markup(Wording.bytes($0)) } ?? Wording.none()
            }
            Markup.td {
                switch letter.bytes {
                case .kept: "kept"
                case .gone: Markup.span("class" => "bad") { "gone" }
                case .notFound: Markup.span("class" => "bad") { "not found" }
                case .unknown: "unknown"
                case .unseen: "in \(letter.bundleStore?.rawValue ?? "another store")"
                }
            }
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
