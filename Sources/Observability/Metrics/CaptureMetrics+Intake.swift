extension CaptureMetrics {
    /// Counts uploads that one transaction has recorded in the ledger.
    package static func intakeRecorded(_ uploads: Int) {
        count(MetricCatalogue.intakeRows, by: uploads)
        observe(MetricCatalogue.intakeGroup, Double(uploads))
    }

    /// What happened to the bytes of a capture that the queue had lost.
    package enum RestoredBytes: String, Sendable, CaseIterable {
        /// The bytes are there, or in a store that the queue does not check.
        case kept
        /// The bytes are gone: the capture ends as `BUNDLE_MISSING`.
        case lost
        /// Those of a dead letter are gone, now or since an earlier loss: it ends as `BUNDLE_MISSING`, too.
        case dead
    }

    /// Counts a capture that was put back into the queue.
    package static func intakeRestored(_ bytes: RestoredBytes) {
        count(MetricCatalogue.intakeRestored, bytes.rawValue)
    }

    /// Counts an accepted capture that could not be put back.
    package static func intakeInvalid() {
        count(MetricCatalogue.intakeInvalid)
    }
}
