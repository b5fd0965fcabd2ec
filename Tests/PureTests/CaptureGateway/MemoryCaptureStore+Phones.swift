import AppAttest
import CaptureModel
import CaptureStore
import DeviceSimulator
import TestSupport

extension MemoryCaptureStore {
    /// Registers a phone as a device.
    /// - Parameter isReadable: Whether a key can be read in its attestation.
    func register(
        _ phone: SimulatedDevice, as id: DeviceID, level: AttestationLevel = .secureEnclave,
        isReadable: Bool = true, at now: Timestamp
    ) throws {
        let device = Device(
            id: id, keyID: phone.keyID,
            key: .of(
                level, publicKey: isReadable ? phone.publicKey : nil, appID: phone.appID,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            platform: "ios", model: phone.model, hasLidar: true, revokedAt: nil, registeredAt: now)
        let outcome = try register(
            DeviceRegistration(
                device: device, attestationObject: nil, clientDataHash: nil, certificateChain: [], receipt: nil,
                osVersion: nil, validationCategory: nil, bundleVersion: nil))
        guard outcome == .created else { throw UnexpectedGround() }
    }
}
