import CaptureModel
import CaptureStore
import HTML

/// `/dashboard/devices`: devices, newest first.
struct DevicesPage: Sendable {
    /// Which devices are listed.
    enum Standing: String, CaseIterable, Sendable {
        case revoked, compromised, unverified

        func passes(_ listed: ListedDevice) -> Bool {
            switch self {
            case .revoked: listed.device.revokedAt != nil
            case .compromised: listed.compromisedSince != nil
            case .unverified: listed.device.level == .unverified
            }
        }
    }

    static let pageSize = 50
    /// How many devices are looked at for one page, where only those of a standing are listed.
    static let looksMax = 5_000
    /// The name of the standing in the page's query.
    static let standingField = "standing"

    /// The devices, at least one more than the page shows if others follow.
    var found: [ListedDevice]
    let after: DeviceID?
    /// Only those of this standing.
    var standing: Standing?
    /// The last one that was looked at, if there are others behind it.
    var end: DeviceID?

    func markup(_ shell: Shell) -> Markup {
        let devices = found.prefix(Self.pageSize)
        return shell.page("Devices", .devices) {
            Markup.div("class" => "title") {
                Markup.h1 { "Devices" }
                SearchForm().markup
            }
            Markup.nav("class" => "tabs", "aria-label" => "Standing") {
                tab(nil)
                for standing in Standing.allCases { tab(standing) }
            }
            Markup.div("class" => "card") {
                if devices.isEmpty {
                    Markup.p("class" => "empty") { empty }
                } else {
                    Self.table(devices, shell.now)
                }
                Pager(
                    path: Page.devices.address, fields: standing.map { [Self.field($0)] } ?? [],
                    after: after?.description, next: next(after: devices)?.description
                ).markup
            }
        }
    }

    /// Where the next page begins.
    private func next(after devices: ArraySlice<ListedDevice>) -> DeviceID? {
        found.count > devices.count ? devices.last?.device.id : end
    }

    private var empty: String {
        if end != nil { return "None among these; go on." }
        return after == nil ? "No devices." : "No more."
    }

    private static func field(_ standing: Standing) -> (name: String, value: String) {
        (standingField, standing.rawValue)
    }

    private func tab(_ other: Standing?) -> Markup {
        let address = "href" => Pager.address(Page.devices.address, other.map { [Self.field($0)] } ?? [])
        let title = other.map { Wording.sentence($0.rawValue) } ?? "All"
        return other == standing
            ? Markup.a(address, "aria-current" => "true") { title } : Markup.a(address) { title }
    }

    private static func table(_ devices: ArraySlice<ListedDevice>, _ now: Timestamp) -> Markup {
        scrollable("Devices") {
            Markup.table {
                Markup.thead {
                    Markup.tr {
                        for title in ["Device", "Attestation", "Environment", "Model", "Registered", "Revoked"] {
                            Markup.th("scope" => "col") { title }
                        }
                    }
                }
                Markup.tbody {
                    for listed in devices { row(listed.device, listed.compromisedSince, now) }
                }
            }
        }
    }

    private static func row(_ device: Device, _ compromisedSince: Timestamp?, _ now: Timestamp) -> Markup {
        Markup.tr {
            Markup.td { Wording.device(device.id) }
            Markup.td { device.level.rawValue }
            Markup.td { device.environment.map { Markup($0.rawValue) } ?? Wording.none() }
            Markup.td { Markup.bdi { device.model } }
            Markup.td { Wording.ago(device.registeredAt, now) }
            Markup.td {
                device.revokedAt.map { Wording.moment($0) } ?? Wording.none()
                if let compromisedSince {
                    " "
                    Wording.compromised(since: compromisedSince)
                }
            }
        }
    }
}
