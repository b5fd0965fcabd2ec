package import CaptureModel

/// The rules for a batch and its results in every store.
package enum SettleRules {
    /// Refuses a batch with a capture that would be accepted without a confidence.
    package static func check(_ batch: [ExaminedCapture]) throws(StoreError) {
        let lacksConfidence = batch.contains {
            if case .acceptable(_, _, .none) = $0.outcome { true } else { false }
        }
        guard !lacksConfidence else {
            throw StoreError(.refused, "a capture without a rejection needs a confidence")
        }
    }

    /// Sorts checks in the order of ``Check/Name``.
    package static func sorted(_ checks: [Check]) -> [Check] {
        checks.sorted { $0.name < $1.name }
    }
}
