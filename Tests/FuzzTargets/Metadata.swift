import CaptureInspection
import CaptureModel
import Foundation

/// Metadata that are taken stay within the limits, are taken again, and say the same to another parser.
func fuzzMetadata(_ input: [UInt8]) throws(BrokenProperty) {
    let limits = MetadataLimits()
    guard let metadata = try? CaptureMetadata.parse(input, limits: limits) else { return }
    try property(input.count <= limits.bytesMax, "the size is bounded")
    try property((1...limits.modelBytesMax).contains(metadata.deviceModel.utf8.count), "the model is bounded")
    try property(metadata.depthDimensions.values <= limits.depthValuesMax, "the depth map is bounded")
    try property((try? CaptureMetadata.parse(input, limits: limits)) == metadata, "the same bytes say the same")
    let text = metadata.capturedAt.rfc3339
    try property(!text.isEmpty, "the time can be written: \(text)")
    // It may have bounds of its own.
    guard let object = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] else { return }
    let time = (object["captured_at"] as? String).flatMap { Timestamp(rfc3339: $0) }
    try property(time == metadata.capturedAt, "others read the same time")
    try property(object["device_model"] as? String == metadata.deviceModel, "others read the same model")
}
