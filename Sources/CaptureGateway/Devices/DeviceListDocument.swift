import CaptureModel
import CaptureOperations
import CaptureStore

/// A page of devices as JSON.
struct DeviceListDocument: Encodable, Sendable {
    private let devices: [DeviceDocument]
    @OrNull private var next: String?

    /// - Parameter found: One more than the page has, where others follow.
    init(_ found: [ListedDevice], limit: Int) {
        let page = found.prefix(limit)
        devices = page.map { DeviceDocument($0.device, compromisedSince: $0.compromisedSince) }
        next = found.count > page.count ? page.last.map { "\($0.device.id)" } : nil
    }
}
