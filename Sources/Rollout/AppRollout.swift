package import AppAttest
package import CaptureModel

/// One app's rollout: its requirements, how many devices it covers, and its effect.
package struct AppRollout: Sendable, Equatable {
    /// What happens to devices that do not meet the requirements.
    package var mode: RolloutMode
    /// How many of the ``RolloutBucket/count`` buckets are covered, each a hundredth of a percent.
    package var bucketsWithin: Int
    /// The lowest version of the system; `nil` takes any.
    package var osVersionMinimum: DottedVersion?
    /// The requirements on the signed extensions of iOS 27.
    package var extensions: ExtensionPolicy

    /// Covers every device and requires nothing by default.
    package init(
        mode: RolloutMode, bucketsWithin: Int = RolloutBucket.count, osVersionMinimum: DottedVersion? = nil,
        extensions: ExtensionPolicy = ExtensionPolicy()
    ) {
        self.mode = mode
        self.bucketsWithin = bucketsWithin
        self.osVersionMinimum = osVersionMinimum
        self.extensions = extensions
    }

    /// The percentage of devices that it covers, as a decimal number.
    package var percentage: String {
        let (whole, hundredths) = bucketsWithin.quotientAndRemainder(dividingBy: 100)
        guard hundredths > 0 else { return "\(whole)" }
        return hundredths.isMultiple(of: 10)
            ? "\(whole).\(hundredths / 10)" : "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)"
    }

    /// The requirements that are not met, in the order of ``RolloutRequirement``.
    ///
    /// Missing facts fail no requirement, as they are no evidence against anybody: a system that names no version, or
    /// one before iOS 27, which signs no extensions. A present value that is no version or no number fails a minimum or
    /// a list. It does not count as lower than attested, which takes two values that can be compared.
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
