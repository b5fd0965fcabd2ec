package import CaptureModel
import Foundation

extension DeviceKey {
    /// A P-256 key of a level; environment, app and root are those of an attested one, the reason of another one.
    package static func of(
        _ level: AttestationLevel, publicKey: [UInt8]?, environment: KeyEnvironment = .production, appID: String,
        trustRoot: String = "Test Root sha256:00", reason: String? = nil
    ) -> DeviceKey {
        switch level {
        case .secureEnclave:
            .attested(publicKey: publicKey ?? [], environment: environment, appID: appID, trustRoot: trustRoot)
        case .unverified: .unverified(.p256, publicKey: publicKey, reason: reason)
        }
    }
}

extension Device {
    /// A phone as most of the tests' phones are; what is not given is as usual.
    /// - Parameter keyID: The key's own by default.
    package static func phone(
        _ key: DeviceKey, id: DeviceID = DeviceID(UUID()), keyID: KeyID? = nil, model: String = "iPhone17,1",
        hasLidar: Bool = true, revokedAt: Timestamp? = nil,
        registeredAt: Timestamp = Timestamp(millisecondsSince1970: 0), risk: DeviceRisk? = nil,
        isRiskAwaited: Bool = false, latestOSVersion: String? = nil, attestedApp: AttestedApp = AttestedApp()
    ) -> Device {
        let publicKey: [UInt8]? =
            switch key {
            case .attested(let publicKey, _, _, _): publicKey
            case .unverified(_, let publicKey, _): publicKey
            }
        return Device(
            id: id, keyID: keyID ?? KeyID(publicKey: publicKey ?? []), key: key, platform: "ios", model: model,
            hasLidar: hasLidar, revokedAt: revokedAt, registeredAt: registeredAt, risk: risk,
            isRiskAwaited: isRiskAwaited, latestOSVersion: latestOSVersion, attestedApp: attestedApp)
    }
}

extension DeviceRegistration {
    /// One with no other evidence than is given.
    package init(
        device: Device, attestationObject: [UInt8]? = nil, clientDataHash: [UInt8]? = nil, receipt: [UInt8]? = nil
    ) {
        self.init(
            device: device, attestationObject: attestationObject, clientDataHash: clientDataHash, certificateChain: [],
            receipt: receipt, osVersion: nil, validationCategory: nil, bundleVersion: nil)
    }
}
