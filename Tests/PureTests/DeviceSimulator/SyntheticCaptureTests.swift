import CaptureModel
import DeviceSimulator
import Foundation
import Testing

@Suite struct `Synthetic captures` {
    private static let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    @Test(arguments: [4_000, 4_080, 16_384, 20_001, 499_999, 500_000, 1_234_567, 3_000_000])
    func `a photo is a complete JPEG of exactly the size asked for`(bytes: Int) throws {
        let capture = try SyntheticCapture(seed: UInt64(bytes), photoBytes: bytes, capturedAt: Self.moment)
        #expect(capture.photo.count == bytes)
        let outline = try JPEGOutline(capture.photo)
        #expect(outline.markers.prefix(3) == [0xD8, 0xE0, 0xE1])
        #expect(outline.markers.filter { $0 != 0xFE }.suffix(5) == [0xDB, 0xC0, 0xC4, 0xDA, 0xD9])
        #expect(outline.width % 16 == 0 && outline.height % 16 == 0 && outline.width * 3 == outline.height * 4)
    }

    /// Between two widths: the wider picture has too many bytes, or one to three too few for a comment.
    @Test(arguments: [(2, 4_000), (2, 4_177), (3, 8_770), (3, 8_920), (8, 8_972), (9, 8_650)] as [(UInt64, Int)])
    func `a size that no picture fills is filled up`(seed: UInt64, bytes: Int) throws {
        let photo = try SyntheticCapture(seed: seed, photoBytes: bytes, capturedAt: Self.moment).photo
        #expect(photo.count == bytes)
        #expect(try JPEGOutline(photo).markers.last == 0xD9)
    }

    @Test func `a depth map is 256 by 192 of plausible distances`() throws {
        let capture = try SyntheticCapture(seed: 3, photoBytes: 20_000, capturedAt: Self.moment)
        #expect(capture.depthMap.count == 196_608)
        let metres = stride(from: 0, to: capture.depthMap.count, by: 4).map { offset in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(capture.depthMap[offset + $1]) << UInt32(8 * $1) })
        }
        #expect(metres.allSatisfy { $0.isFinite && $0 > 0.2 && $0 < 6 })
        #expect(Set(metres.map { Int($0 * 10) }).count > 10)
    }

    @Test func `the same seed gives the same bytes and another seed gives others`() throws {
        let one = try SyntheticCapture(seed: 5, photoBytes: 30_000, capturedAt: Self.moment)
        #expect(try one == SyntheticCapture(seed: 5, photoBytes: 30_000, capturedAt: Self.moment))
        let other = try SyntheticCapture(seed: 6, photoBytes: 30_000, capturedAt: Self.moment)
        #expect(one.photo != other.photo && one.depthMap != other.depthMap)
    }

    @Test func `the metadata are what an upload asks for`() throws {
        let capture = try SyntheticCapture(seed: 5, photoBytes: 30_000, capturedAt: Self.moment)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(capture.metadata)) as? [String: Any]
        )
        #expect(object["captured_at"] as? String == Self.moment.rfc3339)
        #expect(object["device_model"] as? String == "iPhone17,1")
        #expect(object["photo_hash"] as? String == SHA256Digest.hash(capture.photo).hex)
        let dimensions = try #require(object["depth_map_dimensions"] as? [String: Int])
        #expect(dimensions == ["width": 256, "height": 192])
    }

    @Test(arguments: [0, 1000, 40_000_000])
    func `a size that no photo has is refused`(bytes: Int) {
        #expect(throws: SimulatorError(.capture, "")) {
            try SyntheticCapture(seed: 1, photoBytes: bytes, capturedAt: Self.moment)
        }
    }

    @Test func `both bindings sign what the requirements say`() throws {
        let capture = SyntheticCapture(photo: [1, 2], depthMap: [3], metadata: Array("{}".utf8))
        #expect(CaptureSigner.clientDataHash(of: capture, binding: .concatV1) == .hash([1, 2, 3]))
        let text = """
            capture-v2
            \(SHA256Digest.hash([1, 2]).hex)
            \(SHA256Digest.hash([3]).hex)
            \(SHA256Digest.hash(Array("{}".utf8)).hex)
            """
        #expect(CaptureSigner.clientDataHash(of: capture, binding: .framedV2) == .hash(Array(text.utf8)))
    }
}

/// The segments of a JPEG, walked by their lengths alone.
private struct JPEGOutline {
    var markers: [UInt8] = []
    var width = 0
    var height = 0

    struct Malformed: Error { var offset: Int }

    init(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            guard offset + 1 < bytes.count, bytes[offset] == 0xFF else { throw Malformed(offset: offset) }
            let marker = bytes[offset + 1]
            markers.append(marker)
            offset += 2
            if marker == 0xD8 || marker == 0xD9 { continue }
            guard offset + 2 <= bytes.count else { throw Malformed(offset: offset) }
            let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            guard length >= 2, offset + length <= bytes.count else { throw Malformed(offset: offset) }
            if marker == 0xC0 {
                height = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
                width = Int(bytes[offset + 5]) << 8 | Int(bytes[offset + 6])
            }
            offset += length
            guard marker == 0xDA else { continue }
            while offset + 1 < bytes.count, bytes[offset] != 0xFF || bytes[offset + 1] == 0 { offset += 1 }
        }
        guard markers.last == 0xD9 else { throw Malformed(offset: offset) }
    }
}
