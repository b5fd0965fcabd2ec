import CaptureInspection

extension Settings {
    /// What the media and the metadata of a capture may be: the same at the gateway's door and for the worker.
    ///
    /// What is not set here is no choice: how deep metadata may be nested and how long a model's name may be is the
    /// API's, and how many zero bytes behind a photo are padding belongs to the meaning of `PHOTO_TRAILING_DATA`.
    var inspectionLimits: InspectionLimits {
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
}
