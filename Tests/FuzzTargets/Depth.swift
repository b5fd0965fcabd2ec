import CaptureInspection

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
    let summary = map.summary
    try property(0 <= summary.measured && summary.measured <= summary.finite, "measurements are finite values")
    try property(summary.finite <= dimensions.values, "finite values are values")
    guard let nearest = summary.nearest, let farthest = summary.farthest, let median = summary.median else {
        try property(summary.measured == 0, "measurements have a nearest, a farthest and a median")
        return
    }
    try property(summary.measured > 0 && 0 < nearest && nearest <= farthest, "the nearest is not behind the farthest")
    // The median is the middle of its bucket; denormal numbers have wider ones.
    guard nearest.isNormal else { return }
    try property(median >= nearest * 0.93 && median <= farthest * 1.07, "the median lies between, to within 1/16")
}
