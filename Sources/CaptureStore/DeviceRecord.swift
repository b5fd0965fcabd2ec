public import CaptureModel

/// Everything that the record holds on a device, for operators and for deciding again.
public struct DeviceRecord: Sendable, Equatable {
    /// The registration with its evidence; its device's `revokedAt` is as it is now.
    public let registration: DeviceRegistration
    /// The highest counter of an accepted capture of the key; 0 when there is none.
    public let captureCounter: UInt32
    /// The highest counter of an authenticated request of the key; 0 when there is none.
    public let requestCounter: UInt32
    /// The latest authenticated capture or request of the key, or its registration.
    public let lastSeen: Timestamp
    /// Why it was revoked.
    public let revokedReason: String?
    /// Who revoked it.
    public let revokedBy: String?
    /// The verified registration of the same key that took its place.
    public let supersededBy: DeviceID?

    /// Puts a record together.
    public init(
        registration: DeviceRegistration, captureCounter: UInt32, requestCounter: UInt32, lastSeen: Timestamp,
        revokedReason: String?, revokedBy: String?, supersededBy: DeviceID?
    ) {
        self.registration = registration
        self.captureCounter = captureCounter
        self.requestCounter = requestCounter
        self.lastSeen = lastSeen
        self.revokedReason = revokedReason
        self.revokedBy = revokedBy
        self.supersededBy = supersededBy
    }
}
