package import CaptureModel

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
