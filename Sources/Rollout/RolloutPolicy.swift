package import AppAttest
package import CaptureModel

/// The rollouts of all apps, as one file has them.
///
/// Pure: gateways judge attestations by it and workers captures, and the same file gives the same rulings everywhere.
///
/// A class, since it is handed on with every capture and never changes.
package final class RolloutPolicy: Sendable, Equatable {
    /// SHA-256 of the file.
    package let digest: SHA256Digest
    /// The apps that it names; any other is `off`.
    package let apps: [AppID: AppRollout]

    /// Takes over what a file says.
    package init(digest: SHA256Digest, apps: [AppID: AppRollout]) {
        self.digest = digest
        self.apps = apps
    }

    /// Whether two files are the same and say the same.
    package static func == (one: RolloutPolicy, other: RolloutPolicy) -> Bool {
        one.digest == other.digest && one.apps == other.apps
    }

    /// Judges nothing: the policy where no file is configured, under the digest of no bytes.
    package static let none = RolloutPolicy(digest: .hash([]), apps: [:])

    /// Judges a device, or a capture of it; `nil` where the app's rollout is off.
    /// - Parameters:
    ///   - device: The device.
    ///   - app: The app that its key belongs to.
    ///   - extensions: What is signed about the app.
    package func ruling(
        on device: RolloutDevice, of app: AppID, extensions: AuthenticatorExtensions?
    ) -> RolloutRuling? {
        guard let rollout = apps[app], rollout.mode != .off else { return nil }
        // What is no version is a text of the device's own making, which goes into no record.
        let osVersion = device.osVersion == nil ? nil : device.osVersionText
        let bundleVersion = extensions?.comparableBundleVersion == nil ? nil : extensions?.bundleVersion
        let compared = rollout.extensions.notBelowAttested
        return RolloutRuling(
            policy: digest, mode: rollout.mode, bucket: device.bucket, bucketsWithin: rollout.bucketsWithin,
            facts: .init(
                osVersion: osVersion, bundleVersion: bundleVersion, validationCategory: extensions?.validationCategory,
                attestedBundleVersion: compared.contains(.bundleVersion)
                    ? device.attested.bundleVersion?.description : nil,
                attestedValidationCategory: compared.contains(.validationCategory)
                    ? device.attested.validationCategory : nil),
            unmet: rollout.unmet(by: device, extensions: extensions))
    }

    /// Whether captures of a device may be refused for being lower than what is known to be attested of it.
    /// - Parameters:
    ///   - device: The device.
    ///   - app: The app that its key belongs to.
    package func isHeldToAttested(_ device: RolloutDevice, of app: AppID) -> Bool {
        guard let rollout = apps[app], rollout.mode == .enforce, device.bucket < rollout.bucketsWithin else {
            return false
        }
        return !rollout.extensions.notBelowAttested.isEmpty && !device.attested.isEmpty
    }
}
