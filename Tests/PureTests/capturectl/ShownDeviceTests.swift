import CaptureModel
import CaptureOperations
import CaptureStore
import Foundation
import TestSupport
import Testing

@testable import capturectl

@Suite("A device as people read it")
struct ShownDeviceTests {
    /// The order of a dictionary is another in each process.
    @Test func `what its captures were rejected for is told most frequent first, then by code`() async throws {
        let now = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)
        let device = Device(
            id: DeviceID(UUID()), keyID: KeyID(publicKey: [1]),
            key: .attested(publicKey: [1], environment: .development, appID: "", trustRoot: ""), platform: "ios",
            model: "iPhone17,1", hasLidar: true, revokedAt: nil, registeredAt: now)
        let registration = DeviceRegistration(
            device: device, attestationObject: nil, clientDataHash: nil, certificateChain: [], receipt: nil,
            osVersion: nil, validationCategory: nil, bundleVersion: nil)
        let record = DeviceRecord(
            registration: registration, captureCounter: 0, requestCounter: 0, lastSeen: now, revokedReason: nil,
            revokedBy: nil, supersededBy: nil)
        var tally = DeviceTally(verified: 0, rejected: 0, reasons: [.signatureInvalid: 9], open: 0)
        for reason in Reason.ofRejections where reason != .signatureInvalid { tally.reasons[reason] = 2 }
        let shown = ShownDevice(
            record: record, receipt: nil, attestations: AttestationHistory([]), tally: tally, open: 0,
            trail: try await AuditTrail(of: "\(device.id)", in: MemoryCaptureStore(time: ManualTime().source)))
        let codes = Reason.ofRejections.map(\.rawValue).filter { $0 != "SIGNATURE_INVALID" }.sorted()
        let text = shown.text(on: Terminal(columns: nil, isTinted: false))
        let told = text.split(separator: "\n").compactMap { $0.split(separator: " ").suffix(2).first.map(String.init) }
        #expect(told.filter { Reason(rawValue: $0) != nil } == ["SIGNATURE_INVALID"] + codes, "\(text)")
    }
}
