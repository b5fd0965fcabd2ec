import CaptureInspection
import NIOCore

/// A depth map as a picture: near is bright, far is dark, and what was not measured is grey.
struct HeatMap {
    private let map: DepthMap

    init(_ map: DepthMap) {
        self.map = map
    }

    /// A bitmap of one byte for each point and a palette (BMP with BITMAPINFOHEADER): nothing needs to be compressed.
    var picture: ByteBuffer {
        let (width, height) = (map.dimensions.width, map.dimensions.height)
        let stride = (width + 3) & ~3
        let start = 14 + 40 + 256 * 4
        var picture = ByteBuffer()
        picture.reserveCapacity(start + stride * height)
        picture.writeString("BM")
        for field in [start + stride * height, 0, start, 40, width, height] { picture.write32(field) }
        // One plane of eight bits, not compressed; the rest may be 0.
        picture.write32(1 | 8 << 16)
        for field in [0, stride * height, 0, 0, 256, 0] { picture.write32(field) }
        for index in 0..<256 { picture.write32(Self.colour(index)) }
        let (near, far) = (map.summary.nearest ?? 0, map.summary.farthest ?? 1)
        // Lines come from the bottom up.
        for line in (0..<height).reversed() {
            for column in 0..<width { picture.writeInteger(Self.index(map.values[line * width + column], near, far)) }
            picture.writeRepeatingByte(0, count: stride - width)
        }
        return picture
    }

    /// 0 for what was not measured, 1 for the farthest to 255 for the nearest.
    private static func index(_ value: Float, _ near: Float, _ far: Float) -> UInt8 {
        guard value.isFinite, value > 0, far > 0 else { return 0 }
        let share = far > near ? (far - value) / (far - near) : 1
        return UInt8(1 + min(max(share, 0), 1) * 254)
    }

    /// Dark violet over magenta and orange to light yellow, as four straight lines between five colours.
    private static func colour(_ index: Int) -> Int {
        guard index > 0 else { return 0x8A8A8A }
        let stops: [(red: Double, green: Double, blue: Double)] = [
            (20, 11, 52), (87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164),
        ]
        let place = Double(index - 1) / 254 * Double(stops.count - 1)
        let low = min(Int(place), stops.count - 2)
        let share = place - Double(low)
        func mix(_ from: Double, _ to: Double) -> Int { Int(from + (to - from) * share) }
        let (from, to) = (stops[low], stops[low + 1])
        return mix(from.red, to.red) << 16 | mix(from.green, to.green) << 8 | mix(from.blue, to.blue)
    }
}

extension ByteBuffer {
    fileprivate mutating func write32(_ value: Int) {
        writeInteger(UInt32(truncatingIfNeeded: value), endianness: .little)
    }
}
