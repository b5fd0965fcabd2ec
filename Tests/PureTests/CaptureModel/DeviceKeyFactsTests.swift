import CaptureModel
import TestSupport
import Testing

@Suite("What is known of a device's key")
struct DeviceKeyFactsTests {
    private static func device(_ key: DeviceKey) -> Device {
        return Device.phone(key, keyID: KeyID(publicKey: [4]))
    }

    @Test func `an attested key is of P-256, and its app, environment and root are known`() {
        let device = Self.device(
            .attested(publicKey: [4, 1], environment: .development, appID: "TEAM000000.app", trustRoot: "Root"))
        #expect(device.level == .secureEnclave && device.algorithm == .p256 && device.publicKey == [4, 1])
        #expect(device.environment == .development && device.appID == "TEAM000000.app" && device.trustRoot == "Root")
        #expect(device.unverifiedReason == nil && device.hasProvedKey)
    }

    @Test func `a key that is not attested has the reason for it, and nothing that an attestation names`() {
        let device = Self.device(.unverified(.ed25519, publicKey: nil, reason: "ROOT_EXPIRED"))
        #expect(device.level == .unverified && device.algorithm == .ed25519 && device.publicKey == nil)
        #expect(device.environment == nil && device.appID == nil && device.trustRoot == nil)
        #expect(device.unverifiedReason == "ROOT_EXPIRED" && !device.hasProvedKey)
        #expect(Self.device(.unverified(.p256, publicKey: [4], reason: Device.attestationMissing)).hasProvedKey)
    }
}
