import CaptureModel
package import CaptureStore

/// What the record has about a device besides its ``DeviceDocument`` and its evidence, as JSON.
package struct DeviceRecordDocument: Encodable, Sendable {
    private let record: DeviceRecord
    private let receipt: ReceiptStanding?
    private let attestations: AttestationHistory

    /// Takes the record, where the receipt stands, and the attestations.
    package init(_ record: DeviceRecord, receipt: ReceiptStanding?, attestations: AttestationHistory) {
        self.record = record
        self.receipt = receipt
        self.attestations = attestations
    }

    private enum CodingKeys: String, CodingKey {
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
        case attestationsCut = "attestations_cut"
    }

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let compromise = record.compromise
        try container.encode(record.captureCounter, forKey: .captureCounter)
        try container.encode(record.requestCounter, forKey: .requestCounter)
        try container.encode(record.lastSeen, forKey: .lastSeen)
        try container.encode(record.revokedReason, forKey: .revokedReason)
        try container.encode(record.revokedBy, forKey: .revokedBy)
        try container.encode(record.supersededBy, forKey: .supersededBy)
        try container.encode(compromise?.since, forKey: .compromisedSince)
        try container.encode(compromise?.reason, forKey: .compromisedReason)
        try container.encode(compromise?.actor, forKey: .compromisedBy)
        try container.encode(record.registration.deviceCheck.map { DeviceCheckDocument($0) }, forKey: .deviceCheck)
        try container.encode(receipt.map { ReceiptDocument($0) }, forKey: .receipt)
        try container.encode(attestations.entries.map { AttestationDocument($0) }, forKey: .attestations)
        try container.encode(attestations.isCut, forKey: .attestationsCut)
    }
}
