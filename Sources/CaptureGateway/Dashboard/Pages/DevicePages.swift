import CaptureModel
import CaptureStore
import HTML

/// `/dashboard/devices`: devices, newest first.
struct DevicesPage: Sendable {
    static let pageSize = 50

    let devices: [Device]
    let after: DeviceID?

    func markup(_ shell: Shell) -> Markup {
        shell.page("Devices", .devices) {
            Markup.div("class" => "title") { Markup.h1 { "Devices" } }
            Markup.div("class" => "card") {
                if devices.isEmpty { Markup.p("class" => "empty") { "No devices." } } else { table(shell.now) }
                Pager(
                    path: Page.devices.template.description, fields: [], after: after?.description,
                    next: devices.count == Self.pageSize ? devices.last?.id.description : nil
                ).markup
            }
        }
    }

    private func table(_ now: Timestamp) -> Markup {
        Markup.div("class" => "scroll") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["Device", "Attestation", "Environment", "Model", "Registered", "Revoked"] {
                            Markup.th("scope" => "col") { title }
                        }
                    }
                }
                Markup.tbody {
                    for device in devices {
                        Markup.tr {
                            Markup.td { Wording.device(device.id) }
                            Markup.td { device.level.rawValue }
                            Markup.td { device.environment.map { Markup($0.rawValue) } ?? Wording.none() }
                            Markup.td { device.model }
                            Markup.td { Wording.ago(device.registeredAt, now) }
                            Markup.td { device.revokedAt.map { Wording.moment($0) } ?? Wording.none() }
                        }
                    }
                }
            }
        }
    }
}

/// `/dashboard/devices/{id}`: one device, its captures, and its revocation.
struct DevicePage: Sendable {
    let record: DeviceRecord
    let tally: DeviceTally
    let captures: CaptureListing.Page
    let audit: [AuditEntry]
    /// What a revocation from a moment on would meet; `nil` unless it was asked for.
    var preview: Preview?

    /// What a revocation from a moment on meets.
    struct Preview: Sendable {
        let moment: Timestamp
        let reason: String
        let tally: DeviceTally
    }

    private var device: Device { record.registration.device }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Device \(device.id.description.prefix(8))", .device) {
            Markup.div("class" => "title") {
                Markup.h1 {
                    "Device "
                    Markup.code { device.id.description }
                }
                if let revokedAt = device.revokedAt {
                    Markup.p {
                        Markup.span("class" => "state failed") { "revoked" }
                        " "
                        Wording.moment(revokedAt)
                    }
                }
            }
            Tile.row([
                Tile(title: "Verified", value: Wording.bounded(tally.verified)),
                Tile(title: "Rejected", value: Wording.bounded(tally.rejected), mood: tally.rejected > 0 ? "warn" : ""),
                Tile(title: "Waiting", value: Wording.bounded(tally.open)),
                Tile(
                    title: "Highest counter", value: Wording.number(Int(record.captureCounter)),
                    hint: "of accepted captures"),
            ])
            Markup.div("class" => "columns") {
                card("Attestation", id: "attestation") { attestation(shell) }
                if shell.visitor.isOperator { card("Revocation", id: "revocation") { revocation(shell) } }
            }
            card("Captures", id: "captures") {
                CaptureTable(captures: captures.captures, now: shell.now, showsCounters: true).markup
                Markup.p { Markup.a("href" => "/dashboard/captures?device=\(device.id)") { "All its captures" } }
            }
            if !audit.isEmpty { card("What was done to it", id: "audit") { AuditTable(entries: audit).markup } }
        }
    }

    private func attestation(_ shell: Shell) -> Markup {
        facts([
            ("Level", Markup(device.level.rawValue)),
            ("Environment", device.environment.map { Markup($0.rawValue) } ?? Wording.none()),
            ("App", device.appID.map { Markup($0) } ?? Wording.none()),
            ("Trust root", device.trustRoot.map { Markup($0) } ?? Wording.none()),
            ("Why unverified", device.unverifiedReason.map { Markup($0) } ?? Wording.none()),
            ("Key", Markup.code { device.keyID.description }),
            ("Model", Markup("\(device.platform), \(device.model)\(device.hasLidar ? ", LiDAR" : "")")),
            ("Registered", Wording.moment(device.registeredAt)),
            ("Last seen", Wording.ago(record.lastSeen, shell.now)),
            ("Revoked", record.revokedReason.map { Markup("“\($0)” by \(record.revokedBy ?? "?")") } ?? Wording.none()),
            ("Superseded by", record.supersededBy.map { Wording.device($0) } ?? Wording.none()),
        ])
    }

    @MarkupBuilder
    private func revocation(_ shell: Shell) -> Markup {
        Markup.p {
            "Captures received from that moment on are rejected, and the device may sign no request any more. Results "
            "that are written stay as they are. It cannot be undone."
        }
        // A form that only asks: it changes nothing, and so needs no token.
        Markup.form("method" => "get", "action" => "/dashboard/devices/\(device.id)", "class" => "filters") {
            Markup.div {
                Markup.label("for" => "from") { "From (empty: now)" }
                Markup.input(
                    "type" => "datetime-local", "id" => "from", "name" => "from",
                    "value" => preview.map { String($0.moment.rfc3339.prefix(19)) } ?? "", "step" => 1)
            }
            Markup.div {
                Markup.label("for" => "reason") { "Reason" }
                Markup.input(
                    "type" => "text", "id" => "reason", "name" => "reason", "maxlength" => 200,
                    "value" => preview?.reason ?? "")
            }
            Markup.div("class" => "buttons") {
                Markup.button("name" => "preview", "value" => "1") { "Preview the revocation" }
            }
        }
        if let preview { confirmation(preview, shell) }
    }

    private func confirmation(_ preview: Preview, _ shell: Shell) -> Markup {
        shell.form(.revoke, to: "/dashboard/devices/\(device.id)/revoke", class: "confirm") {
            Markup.p("role" => "status", "id" => "preview") {
                "Received since "
                Wording.moment(preview.moment)
                ": "
                Markup.strong { Wording.bounded(preview.tally.verified) }
                " verified, which stay verified; "
                Markup.strong { Wording.bounded(preview.tally.rejected) }
                " rejected; "
                Markup.strong { Wording.bounded(preview.tally.open) }
                " waiting, which will be rejected."
            }
            Markup.input("type" => "hidden", "name" => "from", "value" => preview.moment.rfc3339)
            Markup.input("type" => "hidden", "name" => "reason", "value" => preview.reason)
            if preview.reason.isEmpty {
                Markup.p("class" => "bad") { "Say a reason first: the audit keeps it." }
            } else {
                Markup.button("class" => "danger") { "Revoke the device" }
            }
        }
    }
}
