package import CaptureModel

/// The rules for a batch and its results in every store.
package enum SettleRules {
    /// Refuses a batch with a capture that could be neither accepted nor rejected.
    package static func check(_ batch: [VerifiedCapture]) throws(StoreError) {
        let isUndecidable = batch.contains {
            $0.rejection == nil && ($0.counter == nil || $0.confidence == .none) && $0.device != nil
        }
        guard !isUndecidable else {
            throw StoreError(.refused, "a capture without a rejection needs a counter and a confidence")
        }
    }

    /// Sorts checks in the order of ``Check/Name``.
    package static func sorted(_ checks: [Check]) -> [Check] {
        checks.sorted { $0.name < $1.name }
    }
}
