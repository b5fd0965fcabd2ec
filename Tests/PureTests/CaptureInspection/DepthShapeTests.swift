import CaptureModel
import DeviceSimulator
import Testing

@testable import CaptureInspection
@testable import CaptureProcessing

/// What a depth map shows does not depend on a shape that nobody signed.
@Suite struct `The shape of a depth map` {
    private static var wall: DepthView { .wall(at: 1.5, yaw: 0.3, pitch: 0.1) }
    private static var scene: DepthView { .all([wall, .ball([0, 0, 1], radius: 0.3)]) }

    private static let lyingWall = wall.map(256, 192)
    private static let standingWall = wall.map(192, 256)
    private static let tablet = DepthView.all([.wall(at: 3), .panel(at: 0.4, half: [0.18, 0.13])]).map(256, 192)
    private static let lyingScene = scene.map(256, 192)
    private static let standingScene = scene.map(192, 256)
    private static let thin = DepthMap(15, 300, Array(repeating: 1, count: 15 * 300))

    /// Of as many values as the default shape.
    private static let declared = [(256, 192), (192, 256), (4096, 12), (12, 4096), (1024, 48), (64, 768)]

    /// What is said of a map, and how far its capture is believed.
    private struct Judgement: Equatable {
        let check: Check
        let confidence: Confidence

        init(_ check: Check, _ confidence: Confidence) {
            self.check = check
            self.confidence = confidence
        }

        static let planar = Judgement(Check(.depthPlausibility, .fail, .depthPlanar), .medium)
        static let held = Judgement(Check(.depthPlausibility, .fail, .depthFramedPlane), .medium)
        static let deep = Judgement(Check(.depthPlausibility, .pass), .high)
        static let unknown = Judgement(Check(.depthPlausibility, .unavailable, .depthShapeUnknown), .medium)
        static let unclear = Judgement(Check(.depthPlausibility, .unavailable, .depthUnclear), .medium)
    }

    private func judge(
        _ map: DepthMap, declared width: Int, _ height: Int, _ binding: Binding = .concatV1
    ) throws -> Judgement {
        let size = #"{"width": \#(width), "height": \#(height)}"#
        let (photo, depth) = (JPEGBuilder.baseline, map.bytes)
        let findings = MediaInspector().inspect(
            photo: photo.span, depth: depth.span, metadata: Array(CaptureMetadataTests.document(size: size).utf8),
            binding: binding, photoDigest: .hash(photo),
            registered: RegisteredDevice(model: "iPhone", hasLidar: true),
            receivedAt: try #require(Timestamp(rfc3339: "2026-03-14T09:26:55Z")))
        let check = try #require(findings.checks.first { $0.name == .depthPlausibility })
        return Judgement(check, CheckList(checks: findings.checks).confidence(of: .secureEnclave))
    }

    @Test(arguments: declared)
    func `a wall is one, and a tablet held up, in whatever shape they are declared`(width: Int, height: Int) throws {
        for wall in [Self.lyingWall, Self.standingWall] {
            #expect(try judge(wall, declared: width, height) == .planar)
        }
        #expect(try judge(Self.tablet, declared: width, height) == .held)
    }

    @Test func `a scene with depth keeps its confidence, lying or standing`() throws {
        for scene in [Self.lyingScene, Self.standingScene] {
            #expect(try judge(scene, declared: 256, 192) == .deep)
            #expect(try judge(scene, declared: 192, 256) == .deep)
        }
    }

    @Test(arguments: [(4096, 12), (12, 4096), (1024, 48)])
    func `a shape that no sensor has is missing evidence`(width: Int, height: Int) throws {
        #expect(try judge(Self.lyingScene, declared: width, height) == .unknown)
        #expect(Reason.depthShapeUnknown.isDecisive == false)
    }

    @Test func `the scene of a map with a number of values that no sensor has is unknown, unless it is plain`() throws {
        #expect(try judge(Self.scene.map(64, 48), declared: 64, 48) == .unknown)
        #expect(try judge(Self.thin, declared: 15, 300) == .unknown)
        #expect(try judge(Self.wall.map(64, 48), declared: 64, 48) == .planar, "what can be seen is said")
    }

    @Test func `a shape that was signed is believed`() throws {
        #expect(try judge(Self.scene.map(64, 48), declared: 64, 48, .framedV2) == .deep)
        #expect(try judge(Self.thin, declared: 15, 300, .framedV2) == .unclear)
    }

    @Test(arguments: [
        (256, 192), (320, 180), (320, 240), (640, 360), (640, 480), (768, 432), (768, 576),
    ])
    func `the values tell how a map lay`(width: Int, height: Int) throws {
        func slope(_ width: Int, _ height: Int) -> [Float] {
            (0..<width * height).map { 1 + 0.4 * Float($0 % width) / Float(width) }
        }
        let shape = try #require(SensorShape(count: width * height))
        #expect(shape.dimensions(of: slope(width, height)) == shape.lying)
        #expect(shape.dimensions(of: slope(height, width)) == shape.standing)
        #expect(SensorShape(count: width * height + 1) == nil)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `maps of the default shape are read as they are declared`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let room = DepthView.room(using: &random)
        let floor = DepthView.all([
            .plane([0, 1, 0.3], through: [0, 0.8, 0]), .plane([0, -0.3, 1], through: [0, 0, 3]),
        ])
        let shape = try #require(SensorShape(count: 256 * 192))
        for view in [room, floor] {
            let map = view.map(256, 192, noise: 0.005 * Float(seed % 3), lost: 0.1 * Float(seed % 2), seed: seed)
            #expect(shape.dimensions(of: map.values) == map.dimensions)
        }
    }
}
