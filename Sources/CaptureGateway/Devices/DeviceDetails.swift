import CaptureModel
import CaptureOperations
import CaptureStore

/// Everything that is known of a device, but its evidence.
struct DeviceDetails: Encodable, Sendable {
    let record: DeviceRecord
    let receipt: ReceiptStanding?
    let attestations: AttestationHistory

    func encode(to encoder: any Encoder) throws {
        try DeviceRecordDocument(record, receipt: receipt, attestations: attestations).encode(to: encoder)
        var container = encoder.container(keyedBy: MemberName.self)
        let device = DeviceDocument(record.registration.device, compromisedSince: record.compromise?.since)
        try container.encode(device, forKey: "device")
    }
}
