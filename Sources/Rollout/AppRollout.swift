package import AppAttest
package import CaptureModel

/// What one app's rollout asks, of how many devices, and what comes of it.
package struct AppRollout: Sendable, Equatable {
    /// What becomes of devices that do not meet the requirements.
    package var mode: RolloutMode
    /// How many of the ``RolloutBucket/count`` buckets are covered: a hundredth of a percent each.
    package var bucketsWithin: Int
    /// The lowest version of the system; `nil` takes any.
    package var osVersionMinimum: DottedVersion?
    /// What the signed extensions of iOS 27 must say.
    package var extensions: ExtensionPolicy

    /// Covers every device and asks nothing unless told otherwise.
    package init(
        mode: RolloutMode, bucketsWithin: Int = RolloutBucket.count, osVersionMinimum: DottedVersion? = nil,
        extensions: ExtensionPolicy = ExtensionPolicy()
    ) {
        self.mode = mode
        self.bucketsWithin = bucketsWithin
        self.osVersionMinimum = osVersionMinimum
        self.extensions = extensions
    }

    /// The requirements that are not met, in the order of ``RolloutRequirement``.
    ///
    /// A system that names no version, and one before iOS 27, which signs no extensions, fail nothing by it: what is
    /// missing is no evidence against anybody. What is there and is no version, or no number,
    /// does not meet a requirement; but it is not lower than what was attested, which takes two that can be compared.
    func unmet(by device: RolloutDevice, extensions signed: AuthenticatorExtensions?) -> [RolloutRequirement] {
        var unmet: [RolloutRequirement] = []
        if let osVersionMinimum, device.osVersionText != nil {
            let isMet = device.osVersion.map { $0 >= osVersionMinimum } ?? false
            if !isMet { unmet.append(.osVersion) }
        }
        let violations = signed.map { extensions.violations(of: $0, attested: device.attested) } ?? []
        if violations.contains(.bundleVersion) { unmet.append(.bundleVersion) }
        if violations.contains(.category) { unmet.append(.validationCategory) }
        if violations.contains(.bundleVersionBelowAttested) { unmet.append(.bundleVersionAttested) }
        if violations.contains(.categoryBelowAttested) { unmet.append(.validationCategoryAttested) }
        return unmet
    }
}
