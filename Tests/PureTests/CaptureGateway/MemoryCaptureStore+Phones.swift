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
        let device = Device.phone(
            .of(
                level, publicKey: isReadable ? phone.publicKey : nil, appID: phone.appID,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            id: id, keyID: phone.keyID, model: phone.model, registeredAt: now)
        guard try register(DeviceRegistration(device: device)) == .created else { throw UnexpectedGround() }
    }
}
