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

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case keyID = "key_id"
        case algorithm
        case attestationLevel = "attestation_level"
        case reason, environment, platform, model
        case appID = "app_id"
        case trustRoot = "trust_root"
        case hasLidar = "has_lidar"
        case registeredAt = "registered_at"
        case revokedAt = "revoked_at"
        case compromisedSince = "compromised_since"
        case riskMetric = "risk_metric"
        case riskMetricAt = "risk_metric_at"
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(device.id, forKey: .deviceID)
        try container.encode(device.keyID, forKey: .keyID)
        try container.encode(device.algorithm, forKey: .algorithm)
        try container.encode(device.level, forKey: .attestationLevel)
        try container.encode(device.unverifiedReason, forKey: .reason)
        try container.encode(device.environment, forKey: .environment)
        try container.encode(device.platform, forKey: .platform)
        try container.encode(device.model, forKey: .model)
        try container.encode(device.appID, forKey: .appID)
        try container.encode(device.trustRoot, forKey: .trustRoot)
        try container.encode(device.hasLidar, forKey: .hasLidar)
        try container.encode(device.registeredAt, forKey: .registeredAt)
        try container.encode(device.revokedAt, forKey: .revokedAt)
        try container.encode(compromisedSince, forKey: .compromisedSince)
        try container.encode(device.risk?.metric, forKey: .riskMetric)
        try container.encode(device.risk?.at, forKey: .riskMetricAt)
    }
}
