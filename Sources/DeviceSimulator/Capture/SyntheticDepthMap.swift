/// Makes the depth map of a scene as a LiDAR phone would.
enum SyntheticDepthMap {
    /// Width and height of ARKit's depth maps in pixels.
    static let width = 256
    static let height = 192

    /// Float32 little-endian metres, row by row from the top: 196,608 bytes.
    static func render(_ scene: SyntheticScene, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for row in 0..<height {
            let vertical = 1 - 2 * (Float(row) + 0.5) / Float(height)
            for column in 0..<width {
                let hit = scene.hit(2 * (Float(column) + 0.5) / Float(width) - 1, vertical)
                // A sensor's noise grows with the distance: about 4 mm at 2 m.
                let depth = hit.depth * (1 + generator.between(-0.002, 0.002))
                let pattern = depth.bitPattern
                bytes.append(UInt8(truncatingIfNeeded: pattern))
                bytes.append(UInt8(truncatingIfNeeded: pattern >> 8))
                bytes.append(UInt8(truncatingIfNeeded: pattern >> 16))
                bytes.append(UInt8(truncatingIfNeeded: pattern >> 24))
            }
        }
        return bytes
    }
}
