import CaptureInspection
import CaptureModel
import DeviceSimulator
import Testing

@Suite struct JPEGWalkerTests {
    private func walk(_ photo: [UInt8], limits: JPEGLimits = JPEGLimits()) throws -> JPEGStructure {
        try JPEGWalker(limits: limits).walk(photo.span)
    }

    private func refusal(_ photo: [UInt8], limits: JPEGLimits = JPEGLimits()) -> JPEGError.Code? {
        do throws(JPEGError) {
            _ = try JPEGWalker(limits: limits).walk(photo.span)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a baseline picture is read without being decoded`() throws {
        let structure = try walk(JPEGBuilder.baseline)
        #expect(structure.width == 8 && structure.height == 8)
        #expect(structure.components == 1 && structure.precision == 8)
        #expect(structure.process == .sequential && structure.scans == 1)
        #expect(structure.isPure && structure.trailing.bytes == 0)
    }

    @Test func `a progressive picture shows its scans`() throws {
        let structure = try walk(JPEGBuilder.progressive)
        #expect(structure.process == .progressive && structure.scans == 4)
    }

    @Test func `restart markers are taken in turn`() throws {
        #expect(try walk(JPEGBuilder.restarts).height == 80)
        var swapped = JPEGBuilder.restarts
        let second = swapped.indices.dropLast().first { swapped[$0] == 0xFF && swapped[$0 + 1] == 0xD1 }
        swapped[try #require(second) + 1] = 0xD2
        #expect(refusal(swapped) == .malformed)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func `a simulated phone's media pass`(seed: UInt64) throws {
        let moment = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        let capture = try SyntheticCapture(seed: seed, photoBytes: 400_000, capturedAt: moment)
        let findings = MediaInspector().inspect(
            photo: capture.photo.span, depth: capture.depthMap.span, metadata: capture.metadata,
            photoDigest: .hash(capture.photo), registered: RegisteredDevice(model: "iPhone17,1", hasLidar: true),
            receivedAt: moment)
        #expect(findings.checks.count == 6 && findings.checks.allSatisfy { $0.outcome == .pass })
        #expect(findings.rejection == nil && findings.warnings.isEmpty)
    }

    @Test func `stuffed bytes and fill bytes are part of the picture`() throws {
        let photo = JPEGBuilder.tables.frame().raw([0xFF, 0xFF]).scan().raw([0x3F, 0xFF, 0x00, 0x12, 0xFF, 0xFF]).end
        #expect(try walk(photo).isPure)
    }

    @Test func `a picture cut off anywhere is refused`() {
        for photo in [JPEGBuilder.baseline, JPEGBuilder.progressive, JPEGBuilder.restarts] {
            for length in 0..<photo.count {
                let code = length < 2 ? JPEGError.Code.noSignature : .truncated
                #expect(refusal(Array(photo.prefix(length))) == code, "\(length) of \(photo.count) bytes")
            }
        }
    }

    private func damaged(seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let whole = [JPEGBuilder.baseline, JPEGBuilder.progressive, JPEGBuilder.restarts, Self.withIndex]
        var photo = whole.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<photo.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0:
                let bytes: [UInt8] = [0, 0xFF, 0xD9, 0xDA, .random(in: 0...255, using: &random)]
                photo[place] = bytes.randomElement(using: &random) ?? 0
            case 1: photo.remove(at: place)
            default: photo.insert(.random(in: 0...255, using: &random), at: place)
            }
        }
        return photo
    }

    @Test func `a damaged picture is walked over or refused`() {
        var (walked, refused) = (0, 0)
        for seed in 0..<2000 as Range<UInt64> {
            guard let structure = try? walk(damaged(seed: seed)) else {
                refused += 1
                continue
            }
            walked += 1
            #expect(structure.trailing.foreignBytes <= structure.trailing.bytes, "seed \(seed)")
        }
        #expect(walked > 0 && refused > 0, "\(walked) walked over, \(refused) refused")
    }

    @Test(arguments: [
        ("no picture", [UInt8]("GIF89a".utf8), JPEGError.Code.noSignature),
        ("no frame", JPEGBuilder.tables.scan().raw([0x3F]).end, .malformed),
        ("nothing at all", JPEGBuilder().end, .malformed),
        ("no scan", JPEGBuilder.tables.frame().end, .malformed),
        ("no tables", JPEGBuilder().frame().scan().raw([0x3F]).end, .malformed),
        ("no Huffman table", JPEGBuilder().quantization().frame().scan().raw([0x3F]).end, .malformed),
        ("two frames", JPEGBuilder.tables.frame().frame().scan().raw([0x3F]).end, .malformed),
        ("two starts", JPEGBuilder().raw([0xFF, 0xD8]).end, .malformed),
        ("a component without a scan", JPEGBuilder.tables.frame(components: 3).scan([1]).raw([0x3F]).end, .malformed),
        ("a scan of nobody", JPEGBuilder.tables.frame().scan([2]).raw([0x3F]).end, .malformed),
        ("a component twice", JPEGBuilder.tables.frame(components: 3).scan([1, 1]).raw([0x3F]).end, .malformed),
        ("no pixels", JPEGBuilder.tables.frame(width: 0).scan().raw([0x3F]).end, .malformed),
        ("two components", JPEGBuilder.tables.frame(components: 2).scan([1, 2]).raw([0x3F]).end, .malformed),
        ("arithmetic coding", JPEGBuilder.tables.frame(0xC9).scan().raw([0x3F]).end, .unsupported),
        ("lossless coding", JPEGBuilder.tables.frame(0xC3).scan().raw([0x3F]).end, .unsupported),
        ("no data", JPEGBuilder.tables.frame().scan().end, .truncated),
        ("too little data", JPEGBuilder.tables.frame(width: 4000, height: 3000).scan().raw([0x3F]).end, .truncated),
        ("a restart out of nothing", JPEGBuilder.tables.frame().scan().raw([0x3F, 0xFF, 0xD0, 0x3F]).end, .malformed),
        ("a band that does not exist", JPEGBuilder.tables.frame().scan(band: 0...64).raw([0x3F]).end, .malformed),
        ("a short length", JPEGBuilder().raw([0xFF, 0xE0, 0, 1]).end, .malformed),
        ("a long length", JPEGBuilder().raw([0xFF, 0xE0, 0xFF, 0xFF]).end, .truncated),
        ("bytes between segments", JPEGBuilder.tables.raw([0]).frame().scan().raw([0x3F]).end, .malformed),
        ("too many codes", JPEGBuilder().segment(0xC4, [0, 3] + [UInt8](repeating: 0, count: 18)).end, .malformed),
        ("a cut table", JPEGBuilder().segment(0xDB, [0, 1, 2, 3]).end, .malformed),
    ])
    func `what a decoder would stumble over is refused`(what: String, photo: [UInt8], code: JPEGError.Code) {
        #expect(refusal(photo) == code, "\(what)")
    }

    @Test func `limits refuse before anybody decodes`() {
        let many = JPEGBuilder.tables.segment(0xFE, [1, 2, 3]).frame().scan().raw([0x3F]).end
        #expect(refusal(many, limits: JPEGLimits(pixelsMax: 63)) == .limitExceeded)
        #expect(refusal(many, limits: JPEGLimits(segmentsMax: 5)) == .limitExceeded)
        #expect(refusal(many, limits: JPEGLimits(metadataBytesMax: 103)) == .limitExceeded)
        #expect(refusal(JPEGBuilder.progressive, limits: JPEGLimits(scansMax: 3)) == .limitExceeded)
        let large = JPEGBuilder.tables.frame(width: 65_535, height: 65_535).scan().raw([0x3F]).end
        #expect(refusal(large) == .limitExceeded)
    }

    /// They are searched for markup as well; without a limit a photo could be tables alone.
    @Test func `tables count as metadata`() throws {
        let structure = try walk(JPEGBuilder.baseline)
        #expect(structure.metadataBytes == 65 + 2 * 18)
        #expect(refusal(JPEGBuilder.baseline, limits: JPEGLimits(metadataBytesMax: 101)) == nil)
        #expect(refusal(JPEGBuilder.baseline, limits: JPEGLimits(metadataBytesMax: 100)) == .limitExceeded)
    }

    @Test(arguments: [
        (JPEGBuilder.baseline, true), ([0xFF, 0xD8, 0xFF], true), ([0xFF, 0xD8], false), ([], false),
        (Array("GIF".utf8), false),
    ])
    func `a JPEG is known by its first three bytes`(data: [UInt8], isJPEG: Bool) {
        let found = JPEGWalker.beginsAsJPEG(data.span)
        #expect(found == isJPEG)
    }

    /// A picture with an index that declares a second one right behind it.
    static var withIndex: [UInt8] { indexed(JPEGBuilder.baseline) }

    /// A picture with an index that declares a second one, which is there.
    static func indexed(_ second: [UInt8]) -> [UInt8] {
        func first(_ offset: Int) -> [UInt8] {
            JPEGBuilder().segment(0xE2, JPEGBuilder.multiPicture([(size: second.count, offset: offset)]))
                .quantization().huffman(0x00).huffman(0x10).frame().scan().raw([0x3F]).end
        }
        // The TIFF header comes after start of image, marker, length and `MPF\0`.
        return first(first(0).count - 10) + second
    }
}
