package import CaptureModel

/// A device as JSON: its identity and how far it is trusted.
package struct DeviceDocument: Encodable, Sendable {
    private let device: Device
    private let compromisedSince: Timestamp?

    /// Takes a device, and the moment since which its key may be compromised.
    package init(_ device: Device, compromisedSince: Timestamp?) {
        self.device = device
        self.compromisedSince = compromisedSince
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(device.id, forKey: "device_id")
        try container.encode(device.keyID, forKey: "key_id")
        try container.encode(device.algorithm, forKey: "algorithm")
        try container.encode(device.level, forKey: "attestation_level")
        try container.encode(device.unverifiedReason, forKey: "reason")
        try container.encode(device.environment, forKey: "environment")
        try container.encode(device.platform, forKey: "platform")
        try container.encode(device.model, forKey: "model")
        try container.encode(device.appID, forKey: "app_id")
        try container.encode(device.trustRoot, forKey: "trust_root")
        try container.encode(device.hasLidar, forKey: "has_lidar")
        try container.encode(device.registeredAt, forKey: "registered_at")
        try container.encode(device.revokedAt, forKey: "revoked_at")
        try container.encode(compromisedSince, forKey: "compromised_since")
        try container.encode(device.risk?.metric, forKey: "risk_metric")
        try container.encode(device.risk?.at, forKey: "risk_metric_at")
    }
}
