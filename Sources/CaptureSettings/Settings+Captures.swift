package import CaptureInspection
package import CaptureModel

extension Settings {
    /// The limits on media and metadata of a capture, the same for gateways and workers.
    ///
    /// The other limits are no choice: the API defines the nesting of metadata and the length of a model's name, and
    /// the number of zero bytes that count as padding is part of the meaning of `PHOTO_TRAILING_DATA`.
    package var inspectionLimits: InspectionLimits {
        var limits = InspectionLimits()
        limits.photoBytesMax = bytes(.photoBytesMax)
        limits.depthBytesMax = bytes(.depthBytesMax)
        limits.photo.pixelsMax = integer(.photoPixelsMax)
        limits.photo.segmentsMax = integer(.photoSegmentsMax)
        limits.photo.scansMax = integer(.photoScansMax)
        limits.photo.metadataBytesMax = bytes(.photoMetadataBytesMax)
        limits.metadata.bytesMax = bytes(.metadataBytesMax)
        // A raw map has four bytes for each value; a compressed one may be small and still have the default number of
        // values.
        limits.metadata.depthValuesMax = max(limits.metadata.depthValuesMax, limits.depthBytesMax / 4)
        limits.measuredShareMin = Double(integer(.measuredPercentMin)) / 100
        limits.ageMax = duration(.captureAgeMax)
        limits.leadMax = duration(.captureLeadMax)
        return limits
    }

    /// The accepted bindings; at least one.
    package func bindings() throws(SettingsError) -> Set<Binding> {
        var bindings: Set<Binding> = []
        for text in list(.bindings) {
            guard let binding = Binding(rawValue: text) else {
                let names = Binding.allCases.map(\.rawValue).joined(separator: ", ")
                throw refusal(of: .bindings, "'\(text)' is not a binding; it takes \(names)")
            }
            bindings.insert(binding)
        }
        guard !bindings.isEmpty else { throw SettingsError("capture.bindings: not set; name at least one") }
        return bindings
    }

    /// The rule that decides about counters.
    package var counterPolicy: CounterPolicy { value(.counterPolicy) { CounterPolicy($0) } }
}
