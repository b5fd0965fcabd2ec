import AppAttest
package import CaptureModel

/// A device as rollouts look at it: what is the same for every capture of it, read once.
package struct RolloutDevice: Sendable {
    /// The bucket of its key.
    let bucket: Int
    /// The system's version as it is named; `nil` for a system that names none.
    let osVersionText: String?
    /// The same to be compared; `nil` as well for a text that is no version.
    let osVersion: DottedVersion?
    /// What its attestations say about the app, to be compared.
    let attested: AttestedExtensions

    /// Takes a device by what its attestation says.
    /// - Parameters:
    ///   - key: The device's key, which gives its bucket.
    ///   - osVersion: The system's version as the latest attestation names it.
    ///   - attestedApp: What its attestations say about the app; nothing for an attestation that is judged itself.
    package init(key: KeyID, osVersion: String?, attestedApp: AttestedApp = AttestedApp()) {
        bucket = RolloutBucket.of(key)
        osVersionText = osVersion
        self.osVersion = osVersion.flatMap(DottedVersion.init)
        attested = AttestedExtensions(
            bundleVersions: attestedApp.bundleVersions, validationCategories: attestedApp.validationCategories)
    }
}
