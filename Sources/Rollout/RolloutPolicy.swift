package import AppAttest
package import CaptureModel

/// The rollouts of all apps from one file.
///
/// Pure: gateways judge attestations by it, workers judge captures, and the same file gives the same rulings
/// everywhere.
///
/// A class, since it never changes and is passed along with every capture.
package final class RolloutPolicy: Sendable, Equatable {
    /// SHA-256 of the file.
    package let digest: SHA256Digest
    /// The apps that it names; any other is `off`.
    package let apps: [AppID: AppRollout]

    /// Takes over the contents of a file.
    package init(digest: SHA256Digest, apps: [AppID: AppRollout]) {
        self.digest = digest
        self.apps = apps
    }

    /// Whether both come from the same file and have the same rollouts.
    package static func == (one: RolloutPolicy, other: RolloutPolicy) -> Bool {
        one.digest == other.digest && one.apps == other.apps
    }

    /// Judges nothing: the policy without a configured file, with the digest of no bytes.
    package static let none = RolloutPolicy(digest: .hash([]), apps: [:])

    /// Every app with its mode and percentage, for logs.
    var summary: String {
        apps.sorted { $0.key.text < $1.key.text }.map { app, rollout in
            "\(app) \(rollout.mode.rawValue) \(rollout.percentage)%"
        }.joined(separator: ", ")
    }

    /// Judges a device, or a capture of it; `nil` where the app's rollout is off.
    /// - Parameters:
    ///   - device: What of the device a rollout goes by.
    ///   - app: The app that its key belongs to.
    ///   - extensions: The signed extensions about the app.
    package func ruling(
        on device: RolloutDevice, of app: AppID, extensions: AuthenticatorExtensions?
    ) -> RolloutRuling? {
        guard let rollout = apps[app], rollout.mode != .off else { return nil }
        // A text that is no version is invented by the device, and is not recorded.
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

    /// Whether captures of a device may be refused as lower than its attestations.
    /// - Parameters:
    ///   - device: What of the device a rollout goes by.
    ///   - app: The app that its key belongs to.
    package func isHeldToAttested(_ device: RolloutDevice, of app: AppID) -> Bool {
        guard let rollout = apps[app], rollout.mode == .enforce, device.bucket < rollout.bucketsWithin else {
            return false
        }
        return !rollout.extensions.notBelowAttested.isEmpty && !device.attested.isEmpty
    }
}
