/// Which attested keys the configuration trusts now, whatever it trusted when they were registered.
///
/// When an app, an environment or a trust root is removed from the configuration, its devices are no longer trusted:
/// the record only says what was valid at registration.
///
/// ```swift
/// if let reason = keys.objection(to: device) { … }
/// ```
package struct TrustedKeys: Sendable, Equatable {
    /// The app ids (team and bundle) whose keys are trusted.
    package var appIDs: Set<String>
    /// The App Attest environments whose keys are trusted.
    package var environments: Set<KeyEnvironment>
    /// SHA-256 of the trust roots' certificates, each as 64 lower-case hexadecimal digits.
    package var trustRoots: Set<String>

    /// Memberwise.
    package init(appIDs: Set<String>, environments: Set<KeyEnvironment>, trustRoots: Set<String>) {
        self.appIDs = appIDs
        self.environments = environments
        self.trustRoots = trustRoots
    }

    /// Why a device's key is not trusted; `nil` when it is.
    ///
    /// An unverified device has no attestation to object to; its assertions are checked against the configured apps. An
    /// attested device is not trusted when its record names the root without its digest.
    package func objection(to device: Device) -> Reason? {
        guard case .attested(_, let environment, let appID, let trustRoot) = device.key else { return nil }
        guard appIDs.contains(appID) else { return .appNotAllowed }
        guard environments.contains(environment) else { return .environmentMismatch }
        guard let root = Device.trustRootDigest(in: trustRoot), trustRoots.contains(root) else {
            return .trustRootNotAllowed
        }
        return nil
    }
}

extension Device {
    /// The SHA-256 at the end of a trust root's name in the record: 64 digits; `nil` when it names none.
    ///
    /// The name in front of the digest is the certificate's own choice: only the digest at the end counts.
    package static func trustRootDigest(in recorded: String) -> String? {
        let name = recorded.dropLast(64)
        return name.hasSuffix(" sha256:") ? String(recorded.suffix(64)) : nil
    }
}
