package import CaptureModel

/// The captures and devices whose ids begin alike.
package struct FoundIDs: Sendable, Equatable {
    /// How many of each are found at the most.
    package static let eachMax = 50

    /// The captures that the record or the ledger knows, by their ids: the first ones were mostly made first.
    package var captures: [CaptureID]
    /// The devices, by their ids.
    package var devices: [DeviceID]

    /// Memberwise.
    package init(captures: [CaptureID] = [], devices: [DeviceID] = []) {
        self.captures = captures
        self.devices = devices
    }

    /// Whether there may be more of them.
    package var isCut: Bool { max(captures.count, devices.count) >= Self.eachMax }
}
