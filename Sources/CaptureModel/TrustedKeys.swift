/// Which attested keys the configuration takes now, whatever it took when they were registered.
///
/// An app, an environment or a trust root that is taken out of the configuration takes its devices with it: what the
/// record says about a device is what was good when it was registered.
///
/// ```swift
/// if let reason = keys.objection(to: device) { … }
/// ```
public struct TrustedKeys: Sendable, Equatable {
    /// The app ids (team and bundle) whose keys are taken.
    public var appIDs: Set<String>
    /// The App Attest environments whose keys are taken.
    public var environments: Set<KeyEnvironment>
    /// SHA-256 of the trust roots' certificates, each as 64 lower-case hexadecimal digits.
    public var trustRoots: Set<String>

    /// Memberwise.
    public init(appIDs: Set<String>, environments: Set<KeyEnvironment>, trustRoots: Set<String>) {
        self.appIDs = appIDs
        self.environments = environments
        self.trustRoots = trustRoots
    }

    /// What stands against a device's key; `nil` when it is taken.
    ///
    /// Nobody vouches for the key of an unverified device, so that nothing of this can be held against it: its
    /// assertions are held to the configured apps. An attested device that does not say by what it was attested is not
    /// taken.
    public func objection(to device: Device) -> Reason? {
        guard device.level == .secureEnclave else { return nil }
        guard let appID = device.appID, appIDs.contains(appID) else { return .appNotAllowed }
        guard let environment = device.environment, environments.contains(environment) else {
            return .environmentMismatch
        }
        guard let root = device.trustRootDigest, trustRoots.contains(root) else { return .trustRootNotAllowed }
        return nil
    }
}

extension Device {
    /// SHA-256 of the certificate that ``trustRoot`` names; `nil` when it names none.
    ///
    /// The name in front of it is the certificate's own choice: only what stands at the end counts.
    public var trustRootDigest: String? { trustRoot.flatMap(Self.trustRootDigest(in:)) }

    /// SHA-256 at the end of what a record names a trust root by.
    public static func trustRootDigest(in recorded: String) -> String? {
        let name = recorded.dropLast(64)
        return name.hasSuffix(" sha256:") ? String(recorded.suffix(64)) : nil
    }
}
