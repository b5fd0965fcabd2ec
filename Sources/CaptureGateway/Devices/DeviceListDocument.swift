import CaptureOperations

/// A page of devices as JSON.
struct DeviceListDocument: Encodable, Sendable {
    var devices: [DeviceDocument]
}
