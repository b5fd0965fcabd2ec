import CaptureInspection
import DeviceSimulator
import Foundation
import Testing

@Suite struct DepthDecoderTests {
    private let dimensions = DepthDimensions(width: 16, height: 12)

    /// A quarter of a metre, a half, and so on.
    private var raw: [UInt8] {
        (1...192).flatMap { number in
            withUnsafeBytes(of: (Float(number) * 0.25).bitPattern.littleEndian) { Array($0) }
        }
    }

    /// The same, packed by CPython's zlib at level 9.
    private static let deflated =
        "DcM9SNRxAADQX2pmZXmmpZXW5UdpWV5l+ZHpP2loaHBocHBwaGhwcHBocDgiRCJCIkJC5IgIEQmJCImIIyIkQkQkJESOEBEJkQiRiOg9eCEk20II7SFE"
        + "Jk2ZNmOIQogZN2Fkpz32mXTIYUdMOe6U06adcc5FM6656bbhWgg55plvzGJLLTNulTXWmbDBJluNvO4Nb9rpLbvstsfb3rHXPvu964BJ73nfQYd84EMf"
        + "Oexjn/jUEZ856pgpn/vCl4474aSvnPK1b3zrtO987wfTfvSTn53xi1+ddc55F/zmot9dctmMP1xx1TXX/emGm/7yt1tu+8e//jN0hLDDLLPNcae57jLP"
        + "3e5xr/nuc78Fxiz0gEUWe9BDlljqYY941DLLPeZx456wwkqrrPakp6yx1tOesc6znrPehOe94EUbvORlG22y2Rav2OpV22w36vgP"

    private let deflate: [UInt8]

    init() throws { deflate = Array(try #require(Data(base64Encoded: Self.deflated))) }

    /// RFC 1950: header, data, Adler-32.
    private var zlib: [UInt8] { [0x78, 0xDA] + deflate + [0x0D, 0xFE, 0x81, 0x7B] }

    /// RFC 1952: header, data, CRC-32, size.
    private var gzip: [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3] + deflate + [0x0A, 0x21, 0xEB, 0x93, 0, 3, 0, 0]
    }

    private func decode(_ bytes: [UInt8]) throws -> DepthMap {
        try DepthDecoder().decode(bytes.span, dimensions: #require(dimensions))
    }

    private func refusal(_ bytes: [UInt8], as other: DepthDimensions? = nil) throws -> DepthError.Code? {
        let dimensions = try #require(other ?? dimensions)
        do throws(DepthError) {
            _ = try DepthDecoder().decode(bytes.span, dimensions: dimensions)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `every packing gives the same values`() throws {
        for (encoding, bytes) in [
            (DepthMap.Encoding.raw, raw), (.deflate, deflate), (.zlib, zlib), (.gzip, gzip),
        ] {
            let map = try decode(bytes)
            #expect(map.encoding == encoding)
            #expect(map.values == (1...192).map { Float($0) * 0.25 })
            #expect(map.summary.measured == 192)
            #expect(map.summary.nearest == 0.25 && map.summary.farthest == 48)
        }
    }

    @Test(arguments: [[0x1F, 0x8B], [0x78, 0xDA]] as [[UInt8]])
    func `bytes of the map's own size are raw, whatever they begin with`(start: [UInt8]) throws {
        let bytes = start + raw.dropFirst(start.count)
        let map = try decode(bytes)
        #expect(map.encoding == .raw && map.values.count == 192 && map.values.last == 48)
    }

    @Test func `bytes behind the packed data are refused`() throws {
        for packed in [deflate, zlib, gzip] {
            #expect(try refusal(packed + [0]) == .trailingBytes)
        }
        #expect(try refusal(gzip + gzip) == .trailingBytes)
    }

    @Test func `packed data cut off anywhere are refused`() throws {
        for packed in [deflate, zlib, gzip] {
            for length in 0..<packed.count {
                #expect(try refusal(Array(packed.prefix(length))) == .malformed, "\(length) of \(packed.count)")
            }
        }
    }

    @Test func `a wrong checksum is damage`() throws {
        var (zlib, gzip) = (zlib, gzip)
        zlib[zlib.count - 1] ^= 1
        gzip[gzip.count - 5] ^= 1
        #expect(try refusal(zlib) == .malformed)
        #expect(try refusal(gzip) == .malformed)
    }

    @Test func `a map of another size is a mismatch`() throws {
        for height in [11, 13] {
            let other = try #require(DepthDimensions(width: 16, height: height))
            for packed in [deflate, zlib, gzip] { #expect(try refusal(packed, as: other) == .sizeMismatch) }
        }
    }

    @Test(arguments: [Float(1.5), 0, .nan])
    func `raw values of another size are a mismatch, and damage is none`(first: Float) throws {
        let values = [first] + (1..<16 * 12).map { Float($0) / 64 }
        let raw = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init) }
        let other = try #require(DepthDimensions(width: 16, height: 11))
        #expect(try refusal(raw, as: other) == .sizeMismatch)
        // A block of the reserved type, and then anything.
        let damage = (0..<raw.count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 0x8E) }
        #expect(try refusal(damage, as: other) == .malformed)
    }

    @Test func `a bomb is given up one byte too late`() throws {
        // Stored blocks of 65,535 bytes: 6.5 MB for a map of 768 bytes.
        var bomb: [UInt8] = []
        for _ in 0..<100 { bomb += [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0, count: 65_535) }
        #expect(try refusal(bomb) == .sizeMismatch)
    }

    @Test func `only finite values above zero are measurements`() throws {
        var bytes = raw
        for (index, value) in [Float.nan, .infinity, -.infinity, 0, -0.0, -1].enumerated() {
            let place = index * 4..<index * 4 + 4
            withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.replaceSubrange(place, with: $0) }
        }
        let summary = try decode(bytes).summary
        #expect(summary.measured == 186 && summary.nearest == 1.75)
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `what is said of any values is true of them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Every bit pattern: of all of them a 256th is no finite number, and half of the others are negative.
        let values = (0..<192).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
        let bytes = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        let map = try decode(bytes)
        #expect(map.values.map(\.bitPattern) == values.map(\.bitPattern))
        let measured = values.filter { $0.isFinite && $0 > 0 }.sorted()
        #expect(map.summary.measured == measured.count)
        #expect(map.summary.nearest == measured.first && map.summary.farthest == measured.last)
    }

    @Test func `a map without measurements has no distances`() throws {
        let summary = try decode([UInt8](repeating: 0, count: 768)).summary
        #expect(summary.measured == 0 && summary.nearest == nil && summary.farthest == nil)
    }

    private func damaged(seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var bytes = [deflate, zlib, gzip].randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        return bytes
    }

    @Test func `damaged bytes end in a map or an error`() throws {
        let dimensions = try #require(dimensions)
        var (read, refused) = (0, 0)
        for seed in 0..<500 as Range<UInt64> {
            guard let map = try? decode(damaged(seed: seed)) else {
                refused += 1
                continue
            }
            read += 1
            // Packed bytes are fewer than the values: none of them is taken for raw ones.
            #expect(map.encoding != .raw && map.dimensions == dimensions, "seed \(seed)")
            #expect(map.values.count == dimensions.values, "seed \(seed)")
            #expect(map.summary.measured == map.values.count { $0.isFinite && $0 > 0 }, "seed \(seed)")
        }
        #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
    }
}
