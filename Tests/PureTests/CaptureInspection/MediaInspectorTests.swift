import CaptureInspection
import CaptureModel
import Testing

@Suite struct MediaInspectorTests {
    private let moment = Timestamp(rfc3339: "2026-03-14T09:26:53Z")

    /// What is said of a capture whose metadata are signed, and with them the shape of a depth map that no sensor has.
    private func inspect(
        photo: [UInt8] = JPEGBuilder.baseline, depth: [UInt8]? = nil, metadata: String? = nil,
        registered: RegisteredDevice? = RegisteredDevice(model: "iPhone", hasLidar: true),
        after delay: Duration = .seconds(2), limits: InspectionLimits = .init()
    ) throws -> MediaFindings {
        let metadata = metadata ?? CaptureMetadataTests.document(size: #"{"width": 2, "height": 2}"#)
        let depth = depth ?? [UInt8](repeating: 0x3F, count: 16)
        return MediaInspector(limits: limits).inspect(
            photo: photo.span, depth: depth.span, metadata: Array(metadata.utf8), binding: .framedV2,
            photoDigest: .hash(photo), registered: registered, receivedAt: try #require(moment).advanced(by: delay))
    }

    private func check(_ findings: MediaFindings, _ name: Check.Name) throws -> Check {
        try #require(findings.checks.first { $0.name == name })
    }

    @Test func `a good capture passes what can be looked at`() throws {
        let findings = try inspect()
        #expect(
            findings.checks == [
                Check(.photoStructure, .pass), Check(.photoHash, .unavailable, .notEvaluated),
                Check(.depthDecode, .pass), Check(.depthPlausibility, .unavailable, .depthUnclear),
                Check(.timestamp, .pass), Check(.metadata, .pass),
            ])
        #expect(findings.rejection == nil && findings.warnings.isEmpty)
        #expect(findings.capturedAt == moment)
    }

    @Test func `the checks come in the order of their names`() throws {
        let order = try inspect().checks.compactMap { Check.Name.allCases.firstIndex(of: $0.name) }
        #expect(order == order.sorted())
    }

    @Test func `a broken photo decides, a photo with something behind it warns`() throws {
        #expect(try inspect(photo: [1, 2, 3]).rejection == .photoMalformed)
        let trailing = try inspect(photo: JPEGBuilder.baseline + Array("PK".utf8))
        #expect(trailing.rejection == nil && trailing.warnings == [.photoTrailingData])
        #expect(try inspect(limits: .init(photoBytesMax: 10)).rejection == .photoTooLarge)
        #expect(try inspect(limits: .init(photoBytesMax: JPEGBuilder.baseline.count)).rejection == nil)
        #expect(try inspect(limits: .init(photo: JPEGLimits(pixelsMax: 10))).rejection == .photoTooLarge)
    }

    @Test func `a declared hash must be the photo's`() throws {
        func metadata(_ digest: SHA256Digest) -> String {
            CaptureMetadataTests.document(", \"photo_hash\": \"\(digest.hex)\"", size: #"{"width": 2, "height": 2}"#)
        }
        let right = try inspect(metadata: metadata(.hash(JPEGBuilder.baseline)))
        #expect(try check(right, .photoHash) == Check(.photoHash, .pass))
        #expect(try inspect(metadata: metadata(.hash([]))).rejection == .photoHashMismatch)
    }

    @Test func `depth maps that do not fit decide, sparse ones are missing evidence`() throws {
        #expect(try inspect(depth: [0x1F, 0x8B, 0]).rejection == .depthMalformed)
        // A stored block of 20 bytes.
        let larger: [UInt8] = [1, 20, 0, 0xEB, 0xFF] + [UInt8](repeating: 0x3F, count: 20)
        #expect(try inspect(depth: larger).rejection == .depthSizeMismatch)
        let sparse = try inspect(depth: [UInt8](repeating: 0xFF, count: 12) + [0, 0, 0x80, 0x3F])
        #expect(sparse.rejection == nil && sparse.warnings.isEmpty)
        #expect(try check(sparse, .depthDecode) == Check(.depthDecode, .unavailable, .depthSparse))
        let half = try inspect(depth: [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x3F])
        #expect(try check(half, .depthDecode) == Check(.depthDecode, .pass))
    }

    @Test(arguments: [
        (Duration.seconds(86_400), Check.Outcome.pass), (.seconds(86_401), .fail), (.seconds(-300), .pass),
        (.seconds(-301), .fail),
    ])
    func `a capture may be a day old and a phone's clock five minutes ahead`(
        delay: Duration, outcome: Check.Outcome
    ) throws {
        let findings = try inspect(after: delay)
        #expect(try check(findings, .timestamp).outcome == outcome)
        #expect(findings.rejection == nil)
    }

    @Test func `metadata that cannot be read decide, and leave the rest unavailable`() throws {
        let findings = try inspect(metadata: "{}")
        #expect(findings.rejection == .metadataMalformed)
        #expect(findings.capturedAt == nil)
        for name in [Check.Name.photoHash, .depthDecode, .timestamp] {
            #expect(try check(findings, name).outcome == .unavailable)
        }
        let twice = CaptureMetadataTests.document(
            #", "device_model": "iPhone""#, size: #"{"width": 2, "height": 2}"#)
        #expect(try inspect(metadata: twice).rejection == .metadataMalformed)
    }

    /// What is said of a map of 64 × 48 values.
    private func inspect(_ map: DepthMap) throws -> MediaFindings {
        try inspect(
            depth: map.bytes, metadata: CaptureMetadataTests.document(size: #"{"width": 64, "height": 48}"#))
    }

    @Test func `a flat scene and a screen held up warn, and reject nothing`() throws {
        let wall = DepthView.wall(at: 1.5)
        let flat = try inspect(wall.map(64, 48))
        #expect(flat.rejection == nil && flat.warnings == [.depthPlanar])
        let screen = DepthView.panel(at: 0.4, half: [0.18, 0.13])
        let held = try inspect(DepthView.all([wall, screen]).map(64, 48))
        #expect(held.rejection == nil && held.warnings == [.depthFramedPlane])
        #expect(try inspect(DepthView.all([wall, screen]).map(64, 48)) == held)
        let deep = try inspect(DepthView.all([wall, .ball([0, 0, 1], radius: 0.3)]).map(64, 48))
        #expect(try check(deep, .depthPlausibility) == Check(.depthPlausibility, .pass))
    }

    @Test func `a sparse map is not told twice`() throws {
        let sparse = try inspect(DepthView.wall(at: 1.5).map(64, 48, lost: 0.6))
        #expect(try check(sparse, .depthDecode) == Check(.depthDecode, .unavailable, .depthSparse))
        #expect(try check(sparse, .depthPlausibility) == Check(.depthPlausibility, .unavailable, .notEvaluated))
    }

    @Test(
        arguments: [
            (RegisteredDevice(model: "iPhone", hasLidar: true), Check(.metadata, .pass)),
            (RegisteredDevice(model: "iPad", hasLidar: true), Check(.metadata, .fail, .metadataInconsistent)),
            (RegisteredDevice(model: "iPhone", hasLidar: false), Check(.metadata, .fail, .metadataInconsistent)),
            (RegisteredDevice(model: "iPhone", hasLidar: nil), Check(.metadata, .pass)),
            (RegisteredDevice(model: nil, hasLidar: nil), Check(.metadata, .unavailable, .notEvaluated)),
            (nil, Check(.metadata, .unavailable, .notEvaluated)),
        ] as [(RegisteredDevice?, Check)])
    func `what contradicts the registration warns, and what it does not say is not looked at`(
        registered: RegisteredDevice?, expected: Check
    ) throws {
        let findings = try inspect(registered: registered)
        #expect(try check(findings, .metadata) == expected)
        #expect(findings.rejection == nil)
    }

    @Test func `a device without a sensor may send a map without a measurement`() throws {
        let findings = try inspect(
            depth: [UInt8](repeating: 0, count: 16), registered: RegisteredDevice(model: "iPhone", hasLidar: false))
        #expect(findings.rejection == nil && findings.warnings.isEmpty)
        #expect(try check(findings, .depthDecode) == Check(.depthDecode, .unavailable, .depthSparse))
    }
}
