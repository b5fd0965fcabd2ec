import CaptureModel
import CaptureStore
import HTML
import PercentEncoding

/// What else is known of a device: its key, Apple's word on it, and what its attestations said.
extension DevicePage {
    func trust(_ shell: Shell) -> Markup {
        facts([
            ("Key compromised", record.compromise.map { compromise($0) } ?? Wording.none("no")),
            ("Risk metric", device.risk.map { Self.risk($0, shell.now) } ?? Wording.none("not told by Apple")),
            ("Receipt", receipt.map { Self.outcome($0) } ?? Wording.none()),
            ("Received", receipt.map { Wording.moment($0.receivedAt) } ?? Wording.none()),
            ("Asked for a newer one", receipt?.askedAt.map { Wording.moment($0) } ?? Wording.none("never")),
            ("Due again", receipt?.nextAt.map { Wording.moment($0) } ?? Wording.none("never by itself")),
            ("DeviceCheck", record.registration.deviceCheck.map { Self.check($0) } ?? Wording.none("not asked")),
            ("iOS", device.latestOSVersion.map { Markup($0) } ?? Wording.none()),
        ])
    }

    /// Since when, why, and where to find what it signed.
    @MarkupBuilder
    private func compromise(_ compromise: Compromise) -> Markup {
        Wording.moment(compromise.since)
        ": "
        Self.quote(compromise.reason, by: compromise.actor)
        ". "
        Markup.a(
            "href" => "\(Page.captures.address)?state=verified&device=\(device.id)&from="
                + PercentEncoding.encode(compromise.since.rfc3339)
        ) { "What was verified since then" }
    }

    private static func risk(_ risk: DeviceRisk, _ now: Timestamp) -> Markup {
        Markup.span("title" => "About how many keys were attested on the device in 30 days") {
            "\(Wording.number(risk.metric)), as Apple said "
            Wording.ago(risk.at, now)
        }
    }

    private static func outcome(_ receipt: ReceiptStanding) -> Markup {
        let failures = receipt.attempts
        let again = failures > 0 ? ", \(failures) \(failures == 1 ? "failure" : "failures") in a row" : ""
        return Markup(
            "\(words(receipt.outcome.rawValue))\(receipt.reason.map { " (\($0))" } ?? "")\(again)")
    }

    private static func check(_ check: DeviceCheckState) -> Markup {
        switch check.standing {
        case .unknown: Markup("unknown\(check.reason.map { " (\($0))" } ?? "")")
        case .neverSet: Markup("its bits were never set")
        case .set:
            Markup("bits \(bit(check.bit0)) and \(bit(check.bit1)), set in \(check.lastUpdate ?? "an unknown month")")
        }
    }

    private static func bit(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "?" }

    private static func words(_ code: String) -> String { code.split(separator: "_").joined(separator: " ") }

    /// What each attestation said, the latest last.
    @MarkupBuilder var history: Markup {
        scrollable("Attestations") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["When", "Model", "iOS", "App version", "Category"] {
                            Markup.th("scope" => "col") { title }
                        }
                    }
                }
                Markup.tbody {
                    for attestation in attestations.entries {
                        Markup.tr {
                            Markup.td { Wording.moment(attestation.at) }
                            Markup.td { attestation.model }
                            Markup.td { attestation.osVersion.map { Markup($0) } ?? Wording.none() }
                            Markup.td { attestation.bundleVersion.map { Markup($0) } ?? Wording.none() }
                            Markup.td { attestation.validationCategory.map { Markup("\($0)") } ?? Wording.none() }
                        }
                    }
                }
            }
        }
        if attestations.isCut {
            Markup.p("class" => "hint") {
                "The registration’s and the latest \(Wording.number(AttestationHistory.latestMax)): there are others between."
            }
        }
    }
}
