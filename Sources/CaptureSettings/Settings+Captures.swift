package import CaptureInspection
package import CaptureModel

extension Settings {
    /// What the media and the metadata of a capture may be: the same at the gateway's door and for the worker.
    ///
    /// What is not set here is no choice: how deep metadata may be nested and how long a model's name may be is the
    /// API's, and how many zero bytes behind a photo are padding belongs to the meaning of `PHOTO_TRAILING_DATA`.
    package var inspectionLimits: InspectionLimits {
        var limits = InspectionLimits()
        limits.photoBytesMax = bytes(.photoBytesMax)
        limits.photo.pixelsMax = integer(.photoPixelsMax)
        limits.photo.segmentsMax = integer(.photoSegmentsMax)
        limits.photo.scansMax = integer(.photoScansMax)
        limits.photo.metadataBytesMax = bytes(.photoMetadataBytesMax)
        limits.metadata.bytesMax = bytes(.metadataBytesMax)
        // A raw map has four bytes for each value; a packed one may be small and still have as many as by default.
        limits.metadata.depthValuesMax = max(limits.metadata.depthValuesMax, bytes(.depthBytesMax) / 4)
        limits.measuredShareMin = Double(integer(.measuredPercentMin)) / 100
        limits.ageMax = duration(.captureAgeMax)
        limits.leadMax = duration(.captureLeadMax)
        return limits
    }

    /// The bindings that are taken; at least one.
    package func bindings() throws(SettingsError) -> Set<Binding> {
        var bindings: Set<Binding> = []
        for text in list(.bindings) {
            guard let binding = Binding(rawValue: text) else {
                throw SettingsError(
                    "capture.bindings: '\(text)' is none; it takes "
                        + Binding.allCases.map(\.rawValue).joined(separator: ", "))
            }
            bindings.insert(binding)
        }
        guard !bindings.isEmpty else { throw SettingsError("capture.bindings: not set; name at least one") }
        return bindings
    }

    /// When a counter is good.
    package var counterPolicy: CounterPolicy { text(.counterPolicy).flatMap { CounterPolicy($0) } ?? .strict }
}
