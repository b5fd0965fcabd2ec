/// The parts of an upload.
enum BundlePart: String, CaseIterable, Sendable {
    case photo
    case depthMap = "depth_map"
    case assertion
    case metadata

    /// The most bytes that the part may have.
    func bytesMax(_ configuration: GatewayConfiguration) -> Int {
        switch self {
        case .photo: configuration.photoBytesMax
        case .depthMap: configuration.depthBytesMax
        case .assertion: configuration.assertionBytesMax
        case .metadata: configuration.metadataBytesMax
        }
    }
}
