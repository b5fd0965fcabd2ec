package import CaptureModel

/// The facts that an attestation names about a device at its time.
package struct AttestationSummary: Sendable, Equatable {
    /// When it was made.
    package let at: Timestamp
    /// The hardware model as declared then.
    package let model: String
    /// The system's version by the leaf certificate.
    package let osVersion: String?
    /// The app's bundle version, if iOS 27 names it.
    package let bundleVersion: String?
    /// iOS 27's validation category.
    package let validationCategory: Int?

    /// Memberwise.
    package init(
        at: Timestamp, model: String, osVersion: String?, bundleVersion: String?, validationCategory: Int?
    ) {
        self.at = at
        self.model = model
        self.osVersion = osVersion
        self.bundleVersion = bundleVersion
        self.validationCategory = validationCategory
    }

    /// The facts that have changed since an earlier attestation.
    ///
    /// An attestation that names no system version is no change: rollouts go on judging by the version named last.
    package func drift(since earlier: AttestationSummary) -> [Drift] {
        let facts: [(Drift.Fact, String?, String?)] = [
            (.model, earlier.model, model), (.osVersion, earlier.osVersion, osVersion ?? earlier.osVersion),
            (.bundleVersion, earlier.bundleVersion, bundleVersion),
            (
                .validationCategory, earlier.validationCategory.map { "\($0)" },
                validationCategory.map { "\($0)" }
            ),
        ]
        // By bytes: the text of a bundle version is the app's, of any length.
        return facts.filter { $0.1.map { Array($0.utf8) } != $0.2.map { Array($0.utf8) } }
            .map { Drift(fact: $0.0, before: $0.1, after: $0.2) }
    }
}
