/// Makes a genuine baseline JPEG of a scene with a requested size.
///
/// The picture is made in the frequency domain: one DC coefficient per block from the scene, and the AC coefficients
/// from a palette of noise. So no transform is needed, every decoder shows the room, and the bytes do not compress.
enum SyntheticPhoto {
    /// The smallest and the largest possible file.
    static let byteRange = 4_000...33_554_432

    private static let variants = 24

    /// A coded picture and its width in units.
    private struct Drawing {
        var unitsAcross: Int
        var scan: [UInt8]
    }

    /// Draws the scene into a file of exactly `bytes` bytes.
    /// - Throws: `CAPTURE` for a size outside ``byteRange``.
    static func render(
        _ scene: SyntheticScene, bytes: Int, model: String, using generator: inout some RandomNumberGenerator
    ) throws(SimulatorError) -> [UInt8] {
        guard byteRange.contains(bytes) else {
            throw SimulatorError(.capture, "a photo has \(byteRange.lowerBound) to \(byteRange.upperBound) bytes")
        }
        var head = JPEGFile(model: String(model.prefix(64)))
        let palette = (0..<4).map { roughness in
            (0..<variants).map { _ in
                TextureBlock.noise(roughness: roughness, .luminanceAC, using: &generator)
            }
        }
        var probe = head
        probe.header(width: 16, height: 16)
        let room = bytes - probe.bytes.count - 2
        guard let drawing = fit(scene, room: room, palette: palette, seed: generator.next()) else {
            throw SimulatorError(.capture, "no picture of \(bytes) bytes could be drawn")
        }
        head.pad(room - drawing.scan.count)
        head.header(width: drawing.unitsAcross * 16, height: drawing.unitsAcross * 12)
        head.finish(scan: drawing.scan)
        return head.bytes
    }

    /// Draws the scene as large as a few tries find it to have room; what is left of the room can be padded.
    private static func fit(
        _ scene: SyntheticScene, room: Int, palette: [[TextureBlock]], seed: UInt64
    ) -> Drawing? {
        var (seed, best) = (seed, Drawing?.none)
        // The first guess assumes the average of the palette; the measured size of the scene corrects it.
        var unitsAcross = across(units: room / 120)
        for _ in 0..<8 {
            let scan = draw(scene, unitsAcross: unitsAcross, palette: palette, seed: seed)
            let left = room - scan.count
            if (1..<JPEGFile.paddingMin).contains(left) {
                // Too little for a comment: the same picture with other noise has another size.
                seed &+= 1
                continue
            }
            if left >= 0, scan.count > best?.scan.count ?? 0 {
                best = Drawing(unitsAcross: unitsAcross, scan: scan)
                if left < max(1024, room / 16) { break }
            }
            let fitting = room * unitsAcross * (unitsAcross * 3 / 4) / max(1, scan.count)
            let next = across(units: fitting - fitting / 64)
            if next == unitsAcross {
                if left >= 0 { break }
                unitsAcross = max(4, unitsAcross - 4)
            } else {
                unitsAcross = next
            }
        }
        return best
    }

    /// The width in 16-pixel units, a multiple of 4, of a 4:3 picture of about `units` units.
    private static func across(units: Int) -> Int {
        max(4, Int((Double(max(0, units)) * 4 / 3).squareRoot()) / 4 * 4)
    }

    /// Codes the scan: units of four luminance blocks and one block of each colour difference.
    private static func draw(
        _ scene: SyntheticScene, unitsAcross: Int, palette: [[TextureBlock]], seed: UInt64
    ) -> [UInt8] {
        let unitsDown = unitsAcross * 3 / 4
        var generator = SeededGenerator(seed: seed)
        var writer = EntropyWriter(capacity: unitsAcross * unitsDown * 150)
        var luma = DifferencePredictor(table: .luminanceDC, divisor: QuantizationTable.luminance.values[0])
        var blue = DifferencePredictor(table: .chrominanceDC, divisor: QuantizationTable.chrominance.values[0])
        var red = blue
        let flat = TextureBlock.flat(.chrominanceAC)
        for row in 0..<unitsDown {
            let vertical = 1 - 2 * (Float(row) + 0.5) / Float(unitsDown)
            for column in 0..<unitsAcross {
                let hit = scene.hit(2 * (Float(column) + 0.5) / Float(unitsAcross) - 1, vertical)
                let surface = scene.surfaces[hit.surface]
                // Far things are darker, as if the lamp were at the camera.
                let shade = surface.luma - 12 * hit.depth
                let random = generator.next()
                for block in 0..<4 {
                    let bits = random >> UInt64(block * 16)
                    luma.append(shade + Float(bits & 7), to: &writer)
                    writer.append(palette[surface.roughness][Int(bits >> 3 & 0xFFF) % variants])
                }
                blue.append(surface.blue, to: &writer)
                writer.append(flat)
                red.append(surface.red, to: &writer)
                writer.append(flat)
            }
        }
        writer.finish()
        return writer.bytes
    }
}

/// Codes the DC coefficients of one component, each as its difference from the one before (T.81 section F.1.2.1).
private struct DifferencePredictor {
    let table: HuffmanTable
    let divisor: UInt8
    private var previous = 0

    init(table: HuffmanTable, divisor: UInt8) {
        self.table = table
        self.divisor = divisor
    }

    /// Codes a block's mean, given as its difference from mid-grey.
    mutating func append(_ mean: Float, to writer: inout EntropyWriter) {
        // The DC coefficient of an 8×8 block is eight times its mean.
        let value = Int((max(-120, min(120, mean)) * 8 / Float(divisor)).rounded())
        let code = CoefficientCode(value - previous)
        previous = value
        let prefix = table[UInt8(code.count)]
        writer.append(prefix.bits, prefix.count)
        writer.append(code.bits, code.count)
    }
}

extension EntropyWriter {
    /// Appends a block's coded AC coefficients.
    fileprivate mutating func append(_ block: TextureBlock) {
        for piece in block.pieces { append(piece.bits, piece.count) }
    }
}
