import CaptureInspection
import CaptureModel

/// Whatever the bytes are, exactly the declared values come out, or none.
///
/// The first two bytes are width and height less one, at most 64 each.
func fuzzDepth(_ input: [UInt8]) throws(BrokenProperty) {
    guard input.count >= 2,
        let dimensions = DepthDimensions(width: 1 + Int(input[0] & 63), height: 1 + Int(input[1] & 63))
    else { return }
    let bytes = Array(input[2...])
    guard let map = try? DepthDecoder().decode(bytes.span, dimensions: dimensions) else {
        try property(bytes.count != dimensions.bytes, "bytes of exactly the size are a depth map")
        return
    }
    try property(map.dimensions == dimensions, "the dimensions are the declared ones")
    try property(map.values.count == dimensions.values, "there are exactly the declared values")
    try property((map.encoding == .raw) == (bytes.count == dimensions.bytes), "raw is told by the size")
    if map.encoding == .raw {
        let written = map.values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init) }
        try property(written == bytes, "raw values are the bytes")
    }
    for binding in Binding.allCases { try fuzzPlausibility(bytes, dimensions, binding) }
    let summary = map.summary
    try property(
        summary.measured == map.values.count { $0.isFinite && $0 > 0 }, "measurements are finite and above zero")
    guard let nearest = summary.nearest, let farthest = summary.farthest else {
        try property(summary.measured == 0, "measurements have a nearest and a farthest")
        return
    }
    try property(summary.measured > 0 && 0 < nearest && nearest <= farthest, "the nearest is not behind the farthest")
}

/// Whatever the values are, something is said of the scene, and always the same.
private func fuzzPlausibility(
    _ bytes: [UInt8], _ dimensions: DepthDimensions, _ binding: Binding
) throws(BrokenProperty) {
    let metadata = """
        {"captured_at": "2026-01-01T00:00:00Z", "device_model": "iPhone17,1",
         "depth_map_dimensions": {"width": \(dimensions.width), "height": \(dimensions.height)}}
        """
    func checks() -> (decode: Check?, plausibility: Check?) {
        let photo: [UInt8] = []
        let findings = MediaInspector().inspect(
            photo: photo.span, depth: bytes.span, metadata: Array(metadata.utf8), binding: binding,
            photoDigest: .hash([]), registered: nil, receivedAt: Timestamp(millisecondsSince1970: 1_767_225_600_000))
        return (
            findings.checks.first { $0.name == .depthDecode }, findings.checks.first { $0.name == .depthPlausibility }
        )
    }
    let (decode, first) = checks()
    try property((decode, first) == checks(), "the same map shows the same")
    switch first?.outcome {
    case .pass:
        try property(first?.reason == nil, "nothing stands against it")
        try property(binding.coversMetadata, "no sensor has maps as small as these")
    case .fail:
        try property(first?.reason == .depthPlanar || first?.reason == .depthFramedPlane, "a failure names the plane")
    case .unavailable:
        let isNamed =
            switch first?.reason {
            case .depthUnclear: true
            case .depthShapeUnknown: !binding.coversMetadata
            case .notEvaluated: decode == Check(.depthDecode, .unavailable, .depthSparse)
            default: false
            }
        try property(isNamed, "what is missing is named")
    case nil: try property(false, "the scene is looked at")
    }
}
