import AppAttest
package import CaptureModel

/// The facts about a device that rollouts need and that all its captures share, read once.
package struct RolloutDevice: Sendable {
    /// The bucket of its key.
    let bucket: Int
    /// The text of the system's version; `nil` for a system that names none.
    let osVersionText: String?
    /// The system's version for comparison; `nil` when there is none or the text is no version.
    let osVersion: DottedVersion?
    /// The limits that its attestations set for the app.
    let attested: AttestedExtensions

    /// Takes a device from the values of its attestations.
    /// - Parameters:
    ///   - key: The device's key, which gives its bucket.
    ///   - osVersion: The system's version in the latest attestation that names one.
    ///   - attestedApp: What its attestations say about the app; empty when an attestation itself is judged.
    package init(key: KeyID, osVersion: String?, attestedApp: AttestedApp = AttestedApp()) {
        bucket = RolloutBucket.of(key)
        osVersionText = osVersion
        self.osVersion = osVersion.flatMap(DottedVersion.init)
        attested = AttestedExtensions(
            bundleVersions: attestedApp.bundleVersions, validationCategories: attestedApp.validationCategories)
    }
}
