import CaptureModel
import CaptureStore
import HTML

/// `/dashboard/devices`: devices, newest first.
struct DevicesPage: Sendable {
    static let pageSize = 50

    /// The devices, one more than the page shows if others follow.
    let found: [ListedDevice]
    let after: DeviceID?

    func markup(_ shell: Shell) -> Markup {
        let devices = found.prefix(Self.pageSize)
        return shell.page("Devices", .devices) {
            Markup.div("class" => "title") { Markup.h1 { "Devices" } }
            Markup.div("class" => "card") {
                if devices.isEmpty {
                    Markup.p("class" => "empty") { after == nil ? "No devices." : "No more." }
                } else {
                    Self.table(devices, shell.now)
                }
                Pager(
                    path: Page.devices.address, fields: [], after: after?.description,
                    next: found.count > devices.count ? devices.last?.device.id.description : nil
                ).markup
            }
        }
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
