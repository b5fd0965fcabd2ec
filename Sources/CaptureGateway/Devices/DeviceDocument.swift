import CaptureModel
import CaptureOperations
import CaptureStore

/// A device as JSON: who it is and what is believed of it.
struct DeviceDocument: Encodable, Sendable {
    private let device: Device
    private let compromisedSince: Timestamp?

    init(_ device: Device, compromisedSince: Timestamp?) {
        self.device = device
        self.compromisedSince = compromisedSince
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case keyID = "key_id"
        case algorithm
        case attestationLevel = "attestation_level"
        case reason, environment, model
        case appID = "app_id"
        case trustRoot = "trust_root"
        case hasLidar = "has_lidar"
        case registeredAt = "registered_at"
        case revokedAt = "revoked_at"
        case compromisedSince = "compromised_since"
        case riskMetric = "risk_metric"
        case riskMetricAt = "risk_metric_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(device.id.description, forKey: .deviceID)
        try container.encode(device.keyID.description, forKey: .keyID)
        try container.encode(device.algorithm.rawValue, forKey: .algorithm)
        try container.encode(device.level.rawValue, forKey: .attestationLevel)
        try container.encode(device.unverifiedReason, forKey: .reason)
        try container.encode(device.environment?.rawValue, forKey: .environment)
        try container.encode(device.model, forKey: .model)
        try container.encode(device.appID, forKey: .appID)
        try container.encode(device.trustRoot, forKey: .trustRoot)
        try container.encode(device.hasLidar, forKey: .hasLidar)
        try container.encode(device.registeredAt.rfc3339, forKey: .registeredAt)
        try container.encode(device.revokedAt?.rfc3339, forKey: .revokedAt)
        try container.encode(compromisedSince?.rfc3339, forKey: .compromisedSince)
        try container.encode(device.risk?.metric, forKey: .riskMetric)
        try container.encode(device.risk?.at.rfc3339, forKey: .riskMetricAt)
    }
}

/// Everything that is known of a device, but its evidence.
struct DeviceDetails: Encodable, Sendable {
    let record: DeviceRecord
    let receipt: ReceiptStanding?
    let attestations: [AttestationSummary]

    private enum CodingKeys: String, CodingKey {
        case device
        case captureCounter = "capture_counter"
        case requestCounter = "request_counter"
        case lastSeen = "last_seen"
        case revokedReason = "revoked_reason"
        case revokedBy = "revoked_by"
        case supersededBy = "superseded_by"
        case compromisedSince = "compromised_since"
        case compromisedReason = "compromised_reason"
        case compromisedBy = "compromised_by"
        case deviceCheck = "device_check"
        case receipt, attestations
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let compromise = record.compromise
        try container.encode(
            DeviceDocument(record.registration.device, compromisedSince: compromise?.since), forKey: .device)
        try container.encode(record.captureCounter, forKey: .captureCounter)
        try container.encode(record.requestCounter, forKey: .requestCounter)
        try container.encode(record.lastSeen.rfc3339, forKey: .lastSeen)
        try container.encode(record.revokedReason, forKey: .revokedReason)
        try container.encode(record.revokedBy, forKey: .revokedBy)
        try container.encode(record.supersededBy?.description, forKey: .supersededBy)
        try container.encode(compromise?.since.rfc3339, forKey: .compromisedSince)
        try container.encode(compromise?.reason, forKey: .compromisedReason)
        try container.encode(compromise?.actor, forKey: .compromisedBy)
        try container.encode(record.registration.deviceCheck.map { DeviceCheckDocument($0) }, forKey: .deviceCheck)
        try container.encode(receipt.map { ReceiptDocument($0) }, forKey: .receipt)
        try container.encode(attestations.map { AttestationDocument($0) }, forKey: .attestations)
    }
}
