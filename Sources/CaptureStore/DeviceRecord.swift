package import CaptureModel

/// Everything that the record holds on a device, for operators and for deciding again.
package struct DeviceRecord: Sendable, Equatable {
    /// The registration with its evidence; the device's `revokedAt` is the present one.
    package let registration: DeviceRegistration
    /// The highest counter of a verified capture of the key; 0 when there is none.
    package let captureCounter: UInt32
    /// The highest counter of an authenticated request of the key; 0 when there is none.
    package let requestCounter: UInt32
    /// The latest authenticated capture or request of the key, or its registration.
    package let lastSeen: Timestamp
    /// Why it was revoked.
    package let revokedReason: String?
    /// Who revoked it.
    package let revokedBy: String?
    /// The verified registration of the same key that replaced it.
    package let supersededBy: DeviceID?
    /// Since when its key may have been in other hands, and why; `nil` when nobody has noted it.
    package let compromise: Compromise?

    /// Memberwise.
    package init(
        registration: DeviceRegistration, captureCounter: UInt32, requestCounter: UInt32, lastSeen: Timestamp,
        revokedReason: String?, revokedBy: String?, supersededBy: DeviceID?, compromise: Compromise? = nil
    ) {
        self.registration = registration
        self.captureCounter = captureCounter
        self.requestCounter = requestCounter
        self.lastSeen = lastSeen
        self.revokedReason = revokedReason
        self.revokedBy = revokedBy
        self.supersededBy = supersededBy
        self.compromise = compromise
    }
}
