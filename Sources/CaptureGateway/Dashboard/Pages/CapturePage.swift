import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import HTML

/// `/dashboard/captures/{id}`: everything on one capture.
struct CapturePage: Sendable {
    let status: StatusDocument
    /// The dead letter; `nil` unless the capture was given up.
    let letter: DeadLetter?
    /// The result that the status is from, once there is one.
    let result: ProvenanceResult?
    /// The signed bytes, as they were received.
    let assertion: [UInt8]?
    /// What the key of its device signs with; `nil` when the device is not known.
    let algorithm: Device.KeyAlgorithm?
    /// What there is of its photo and depth map.
    let remains: Pictures.Remains
    let audit: AuditTrail

    func markup(_ shell: Shell) -> Markup {
        let title = "\(Wording.sentence(status.state.rawValue)): capture \(Wording.beginning(of: status.captureID))"
        return shell.page(title, .capture, live: canChange) {
            Markup.div("class" => "title") {
                Markup.h1 {
                    "Capture "
                    Markup.code { status.captureID.description }
                }
                Markup.div("id" => "actions-live", "class" => "live-part") {
                    if let letter, shell.user.isOperator { actions(on: letter, shell) }
                }
            }
            Markup.div("id" => "capture-live", "class" => "live-part", "data-state" => status.state.rawValue) {
                headline
                Markup.div("class" => "columns") {
                    card("Timeline", id: "timeline") { timeline }
                    card("Signer", id: "signer") { signer }
                }
                if remains != .nothing { card("Pictures", id: "pictures") { pictures(shell) } }
                if let result { card("Checks", id: "checks") { CheckTable(result: result).markup } }
                if let assertion {
                    card("Assertion", id: "assertion") {
                        AssertionFacts(bytes: assertion, algorithm: algorithm).markup
                    }
                }
                if let result { card("Digests", id: "digests") { Self.digests(result) } }
                // The metadata in it may tell a place.
                if let result, shell.user.isOperator { card("Evidence", id: "evidence") { Self.evidence(of: result) } }
                if !audit.entries.isEmpty {
                    card("What operators did", id: "audit") { AuditTable(trail: audit).markup }
                }
            }
        }
    }

    /// Whether its state may change: a redrive puts a dead letter back.
    private var canChange: Bool { !status.state.isSettled }

    private var headline: Markup {
        Markup.div("class" => "headline \(status.state.rawValue)") {
            Wording.state(status.state)
            Markup.p {
                switch status.state {
                case .verified: "The signature covers these bytes, and the counter was good."
                case .queued:
                    "It waits in its device's lane, which stands still while a capture before it is "
                    Markup.a("href" => "\(Page.captures.address)?device=\(status.device)&state=retrying") { "put off" }
                    "."
                case .processing: "A worker has it in hand."
                case .retrying:
                    "It was put off"
                    if let words = status.explanation { ": \(words)" }
                    "."
                    fault
                case .rejected, .failed:
                    "\(Wording.sentence(status.explanation ?? "no reason is known"))."
                    fault
                }
            }
            if let confidence = status.confidence, status.state == .verified {
                Markup.span("class" => "chip") { "confidence: \(confidence.rawValue)" }
            }
            if let reason = status.reason { Markup.code { reason.rawValue } }
            if status.isRedriven { Markup.span("class" => "chip") { "redriven" } }
            if let since = status.compromisedSince { Wording.compromised(since: since) }
            if let reason = status.wouldReject {
                Markup.span("class" => "chip", "title" => reason.explanation) {
                    "would be rejected: \(reason.rawValue)"
                }
            }
        }
    }

    /// The fault, where it says more than the reason.
    @MarkupBuilder
    private var fault: Markup {
        if let fault = status.fault, !fault.hasBytes(of: status.reason?.explanation) {
            " Fault: "
            Markup.bdi { fault }
        }
    }

    private func actions(on letter: DeadLetter, _ shell: Shell) -> Markup {
        shell.form(.actOnDead, class: "inline") {
            Markup.input("type" => "hidden", "name" => "letter", "value" => letter.position.description)
            // So that whoever redrives it here sees here what becomes of it.
            Markup.input("type" => "hidden", "name" => "back", "value" => Page.capture.rawValue)
            Markup.button(
                "name" => "action", "value" => "redrive", "class" => letter.isRedriveInVain ? "" : "primary"
            ) { "Redrive" }
            Markup.button(
                "name" => "action", "value" => "discard", "class" => "danger",
                "data-confirm" => LetterQuestionPage.question(.discard, [letter], of: "this capture")
            ) { "Discard" }
        }
    }

    private var timeline: Markup {
        var steps: [(String, Timestamp?, String)] = []
        if let capturedAt = result?.capturedAt { steps.append(("Taken", capturedAt, "as the app says")) }
        steps.append(("Received", status.receivedAt, ""))
        steps.append(
            ("Claimed", status.claimedAt, status.timings.map { "waited \(Self.say($0.queue))" } ?? ""))
        if let result {
            // Not “verified”, which is the name of one of the verdicts.
            steps.append(("Checked", result.verifiedAt, status.timings.map { "took \(Self.say($0.verify))" } ?? ""))
        }
        if !status.state.isWaiting {
            let took = status.timings.map { "took \(Self.say($0.settle))" } ?? ""
            steps.append((status.state == .failed ? "Given up" : "Settled", status.settledAt, took))
        }
        if let next = status.nextAttemptAt { steps.append(("Next try", next, "")) }
        return Markup.element("ol", ["class" => "timeline"]) {
            for (name, moment, hint) in steps where moment != nil {
                Markup.li {
                    Markup.strong { name }
                    moment.map { Wording.moment($0) } ?? .empty
                    if !hint.isEmpty { Markup.small { hint } }
                }
            }
            Markup.li("class" => "count") {
                // One element: each text of its own would be laid out by itself.
                Markup.span {
                    Plural.text(status.attempts, "attempt")
                    if status.state == .retrying {
                        "; it is given up after as many as "
                        Markup.code { "worker.attemptsMax" }
                        " says"
                    }
                }
            }
        }
    }

    private static func say(_ milliseconds: Double) -> String { Wording.duration(.milliseconds(1) * milliseconds) }
}
