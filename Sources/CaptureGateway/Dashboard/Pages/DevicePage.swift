import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// `/dashboard/devices/{id}`: one device, its captures, and its revocation.
struct DevicePage: Sendable {
    let record: DeviceRecord
    /// The state of its receipt, if it has one.
    let receipt: ReceiptStanding?
    let attestations: AttestationHistory
    let tally: DeviceTally
    /// Whether a ledger counts and lists captures without a result.
    let hasLedger: Bool
    let captures: CaptureListing.Page
    let audit: AuditTrail
    /// What a revocation from a moment on would affect; `nil` unless it was asked for.
    var preview: Preview?
    /// What was asked for in place of a preview, and is not valid.
    var refused: RefusedForm?

    /// What a revocation from a moment on would affect.
    struct Preview: Sendable {
        let moment: Timestamp
        let reason: String
        /// Whether the key was in other hands from then on.
        let isCompromised: Bool
        let tally: DeviceTally
    }

    var device: Device { record.registration.device }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Device \(device.id.description.prefix(8))", .device) {
            Markup.div("class" => "title") {
                Markup.h1 {
                    "Device "
                    Markup.code { device.id.description }
                }
                standing
            }
            tiles
            Markup.div("class" => "columns") {
                card("Attestation", id: "attestation") { attestation(shell) }
                card("Trust", id: "trust") { trust(shell) }
                if shell.user.isOperator { card("Revocation", id: "revocation") { revocation(shell) } }
            }
            if attestations.entries.count > 1 { card("Its attestations", id: "attestations") { history } }
            card("Captures", id: "captures") {
                CaptureTable(
                    captures: captures.captures, now: shell.now, showsCounters: true,
                    empty: hasLedger ? "No captures." : CaptureTable.emptyWithoutLedger
                ).markup
                Markup.p { Markup.a("href" => "\(Page.captures.address)?device=\(device.id)") { "All its captures" } }
            }
            if !audit.entries.isEmpty { card("What was done to it", id: "audit") { AuditTable(trail: audit).markup } }
        }
    }

    /// Says that the device is revoked, and that its key may have been in other hands.
    @MarkupBuilder
    private var standing: Markup {
        if let revokedAt = device.revokedAt {
            Markup.p {
                Markup.span("class" => "state failed") { "revoked" }
                " "
                Wording.moment(revokedAt)
                if let compromise = record.compromise {
                    " "
                    Wording.compromised(since: compromise.since)
                }
            }
        }
    }

    private var tiles: Markup {
        Tile.row([
            Tile(title: "Verified", value: Wording.bounded(tally.verified)),
            Tile(title: "Rejected", value: Wording.bounded(tally.rejected), mood: tally.rejected > 0 ? "warn" : ""),
            Tile(
                title: "Open", value: hasLedger ? Wording.bounded(tally.open) : "–",
                hint: hasLedger ? "waiting, or dead letters" : "not known without a ledger"),
            Tile(
                title: "Highest counter", value: Wording.number(Int(record.captureCounter)),
                hint: "of accepted captures"),
        ])
    }

    /// Somebody's words and name, set apart, so that neither can turn the line around.
    @MarkupBuilder
    static func quote(_ reason: String, by actor: String) -> Markup {
        "“"
        Markup.bdi { reason }
        "” by "
        Markup.bdi { actor }
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
            ("Revoked", record.revokedReason.map { Self.quote($0, by: record.revokedBy ?? "?") } ?? Wording.none()),
            ("Superseded by", record.supersededBy.map { Wording.device($0) } ?? Wording.none()),
        ])
    }
}
