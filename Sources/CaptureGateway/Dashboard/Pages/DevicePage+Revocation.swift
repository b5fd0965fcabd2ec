import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// How a device is ended at its page: previewed first, then confirmed.
extension DevicePage {
    @MarkupBuilder
    func revocation(_ shell: Shell) -> Markup {
        Markup.p {
            "Captures received from that moment on are rejected, and the device may sign no request any more. Results "
            "that are written stay as they are. It cannot be undone."
        }
        if let refused { refused.notice }
        // A form that only asks: it changes nothing, and so needs no token.
        Markup.form("method" => "get", "action" => Page.device.address(device.id), "class" => "filters") {
            Markup.div {
                Markup.label("for" => "from") { "From (UTC), empty: now" }
                let moment = preview.map { String($0.moment.rfc3339.prefix(19)) }
                let attributes: [Attribute] = [
                    "type" => "datetime-local", "id" => "from", "name" => "from", "value" => value("from", moment),
                    "step" => 1,
                ]
                Markup.void("input", attributes + marks("from"))
            }
            Markup.div {
                Markup.label("for" => "reason") { "Reason" }
                Markup.input(
                    "type" => "text", "id" => "reason", "name" => "reason", "maxlength" => RevocationReason.bytesMax,
                    "value" => value("reason", preview?.reason))
            }
            Markup.div {
                Markup.label("for" => "compromised") { "From then on" }
                Markup.select("id" => "compromised", "name" => "compromised") {
                    Markup.option("value" => "") { Self.meaning(isCompromised: false) }
                    let isChosen = refused.map { $0.form["compromised"] != nil } ?? preview?.isCompromised ?? false
                    Markup.element("option", ["value" => "1"] + Attribute.flag("selected", if: isChosen)) {
                        Self.meaning(isCompromised: true)
                    }
                }
            }
            Markup.div("class" => "buttons") {
                Markup.button("name" => "preview", "value" => "1") { "Preview the revocation" }
            }
        }
        if let preview { confirmation(preview, shell) }
    }

    /// The value that a field shows: as it was sent, if the form was refused.
    private func value(_ name: String, _ said: String?) -> String {
        guard let refused else { return said ?? "" }
        return refused.form[name] ?? ""
    }

    /// What ties the field at fault to what is said of it.
    ///
    /// Below the screen mostly: the focus takes whoever asked there.
    private func marks(_ name: String) -> [Attribute] {
        let marks = refused?.marks(name) ?? []
        return marks + Attribute.flag("autofocus", if: !marks.isEmpty)
    }

    private static func meaning(isCompromised: Bool) -> String {
        isCompromised ? "its key was in other hands" : "it is only revoked"
    }

    private func confirmation(_ preview: Preview, _ shell: Shell) -> Markup {
        shell.form(.revoke, to: Page.revoke.address(device.id), class: "confirm") {
            // Below the screen mostly: the focus takes whoever asked there.
            Markup.element("p", ["id" => "preview", "tabindex" => "-1"] + Attribute.flag("autofocus")) {
                "Received since "
                Wording.moment(preview.moment)
                " UTC: "
                Markup.strong { Wording.bounded(preview.tally.verified) }
                preview.isCompromised
                    ? " verified, which stay verified and are marked as of a compromised key; "
                    : " verified, which stay verified; "
                Markup.strong { Wording.bounded(preview.tally.rejected) }
                " rejected; "
                if hasLedger {
                    Markup.strong { Wording.bounded(preview.tally.open) }
                    " open: those that wait will be rejected, dead letters once they are redriven."
                } else {
                    "how many wait is not known without a ledger: those will be rejected, dead letters once they are "
                    "redriven."
                }
            }
            Markup.p { "This is what will be noted:" }
            facts([
                ("From (UTC)", Wording.moment(preview.moment)), ("Reason", Markup.bdi { preview.reason }),
                ("From then on", Markup(Self.meaning(isCompromised: preview.isCompromised))),
            ])
            if let revokedAt = device.revokedAt {
                Markup.p {
                    "It is revoked already, since "
                    Wording.moment(revokedAt)
                    " UTC: of two moments the earlier one holds, with its reason."
                }
            }
            Markup.input("type" => "hidden", "name" => "from", "value" => preview.moment.rfc3339)
            Markup.input("type" => "hidden", "name" => "reason", "value" => preview.reason)
            if preview.isCompromised {
                Markup.p { "Every registration of the key is meant, and what is marked is marked whenever it is read." }
                Markup.input("type" => "hidden", "name" => "compromised", "value" => "1")
            }
            if RevocationReason(preview.reason) == nil {
                Markup.p("class" => "bad") {
                    preview.reason.isEmpty ? "Say a reason first" : "The reason must be \(RevocationReason.rule)"
                    ": the audit keeps it."
                }
            } else {
                Markup.button("class" => "danger") {
                    preview.isCompromised ? "Revoke the device, and mark its results" : "Revoke the device"
                }
            }
        }
    }
}
