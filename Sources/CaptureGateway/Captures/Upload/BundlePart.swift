import CaptureQueue

/// The parts of an upload.
enum BundlePart: String, CaseIterable, Sendable {
    case photo
    case depthMap = "depth_map"
    case assertion
    case metadata

    /// The part that the queue calls so.
    init(_ part: CaptureMedia.Part) {
        switch part {
        case .photo: self = .photo
        case .depth: self = .depthMap
        }
    }

    /// The most bytes that the part may have.
    func bytesMax(_ uploads: GatewayConfiguration.Uploads) -> Int {
        switch self {
        case .photo: uploads.photoBytesMax
        case .depthMap: uploads.depthBytesMax
        case .assertion: uploads.assertionBytesMax
        case .metadata: uploads.metadataBytesMax
        }
    }
}
