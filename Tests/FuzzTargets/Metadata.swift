import CaptureInspection
import CaptureModel

/// Metadata that are taken stay within the limits, and are taken again.
func fuzzMetadata(_ input: [UInt8]) throws(BrokenProperty) {
    let limits = MetadataLimits()
    guard let metadata = try? CaptureMetadata.parse(input, limits: limits) else { return }
    try property(input.count <= limits.bytesMax, "the size is bounded")
    try property((1...limits.modelBytesMax).contains(metadata.deviceModel.utf8.count), "the model is bounded")
    try property(metadata.depthDimensions.values <= limits.depthValuesMax, "the depth map is bounded")
    try property((try? CaptureMetadata.parse(input, limits: limits)) == metadata, "the same bytes say the same")
    let text = metadata.capturedAt.rfc3339
    try property(!text.isEmpty, "the time can be written: \(text)")
}
