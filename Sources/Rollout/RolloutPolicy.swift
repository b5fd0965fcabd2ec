public import AppAttest
public import CaptureModel

/// The rollouts of all apps, as one file has them.
///
/// Pure: gateways judge attestations by it and workers captures, and the same file gives the same rulings everywhere.
///
/// A class, since it is handed on with every capture and never changes; and since Swift 6.3 ends a process whose
/// `async let` captures a value of this size and alignment ("freed pointer was not the last allocation").
public final class RolloutPolicy: Sendable, Equatable {
    /// SHA-256 of the file.
    public let digest: SHA256Digest
    /// The apps that it names; any other is `off`.
    public let apps: [AppID: AppRollout]

    /// Takes over what a file says.
    public init(digest: SHA256Digest, apps: [AppID: AppRollout]) {
        self.digest = digest
        self.apps = apps
    }

    /// Whether two files are the same and say the same.
    public static func == (one: RolloutPolicy, other: RolloutPolicy) -> Bool {
        one.digest == other.digest && one.apps == other.apps
    }

    /// Judges nothing: the policy where no file is configured, under the digest of no bytes.
    public static let none = RolloutPolicy(digest: .hash([]), apps: [:])

    /// Judges a device, or a capture of it; `nil` where the app's rollout is off.
    /// - Parameters:
    ///   - key: The device's key, which gives its bucket.
    ///   - app: The app that the key belongs to.
    ///   - osVersion: The system's version as the latest attestation names it.
    ///   - extensions: What is signed about the app.
    public func ruling(
        on key: KeyID, of app: AppID, osVersion: String?, extensions: AuthenticatorExtensions?
    ) -> RolloutRuling? {
        guard let rollout = apps[app], rollout.mode != .off else { return nil }
        return RolloutRuling(
            policy: digest, mode: rollout.mode, bucket: RolloutBucket.of(key), bucketsWithin: rollout.bucketsWithin,
            facts: .init(
                osVersion: Self.readable(osVersion), bundleVersion: Self.readable(extensions?.bundleVersion),
                validationCategory: extensions?.validationCategory),
            unmet: rollout.unmet(osVersion: osVersion, extensions: extensions))
    }

    /// Anything else is a text of the device's own making, which goes into no record.
    private static func readable(_ version: String?) -> String? {
        version.flatMap { DottedVersion($0) == nil ? nil : $0 }
    }
}
