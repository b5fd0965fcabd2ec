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

    /// Writes every member; what is not known is `null`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        let compromise = record.compromise
        try container.encode(record.captureCounter, forKey: "capture_counter")
        try container.encode(record.requestCounter, forKey: "request_counter")
        try container.encode(record.lastSeen, forKey: "last_seen")
        try container.encode(record.revokedReason, forKey: "revoked_reason")
        try container.encode(record.revokedBy, forKey: "revoked_by")
        try container.encode(record.supersededBy, forKey: "superseded_by")
        try container.encode(compromise?.since, forKey: "compromised_since")
        try container.encode(compromise?.reason, forKey: "compromised_reason")
        try container.encode(compromise?.actor, forKey: "compromised_by")
        try container.encode(record.registration.deviceCheck.map { DeviceCheckDocument($0) }, forKey: "device_check")
        try container.encode(receipt.map { ReceiptDocument($0) }, forKey: "receipt")
        try container.encode(attestations.entries.map { AttestationDocument($0) }, forKey: "attestations")
        try container.encode(attestations.isCut, forKey: "attestations_cut")
    }
}
