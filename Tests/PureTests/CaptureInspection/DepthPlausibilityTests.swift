import DeviceSimulator
import Testing

@testable import CaptureInspection

@Suite struct `What a depth map shows` {
    private static let seeds: Range<UInt64> = 0..<20

    private func scene(_ map: DepthMap) -> DepthPlausibility.Scene {
        DepthPlausibility().scene(map)
    }

    /// What many views by chance show, each with its own noise of up to 1 %.
    private func holds(
        _ expected: DepthPlausibility.Scene, _ name: String, lost: Float = 0,
        sourceLocation: SourceLocation = #_sourceLocation, _ make: (inout SeededGenerator) -> DepthView
    ) {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let noise: Float = [0, 0.005, 0.01].randomElement(using: &random) ?? 0
            let map = make(&random).map(noise: noise, lost: lost, seed: seed)
            #expect(scene(map) == expected, "\(name), seed \(seed)", sourceLocation: sourceLocation)
        }
    }

    /// A tablet or a print in somebody's hands, of any size that is told.
    private static func tablet(_ random: inout SeededGenerator) -> DepthView {
        let distance = Float.random(in: 0.25...0.6, using: &random)
        return .panel(
            at: distance, yaw: .random(in: -0.25...0.25, using: &random),
            pitch: .random(in: -0.2...0.2, using: &random), roll: .random(in: -0.2...0.2, using: &random),
            center: [.random(in: -0.04...0.04, using: &random), .random(in: -0.03...0.03, using: &random)],
            half: [.random(in: 0.4...0.5, using: &random), .random(in: 0.3...0.38, using: &random)] * distance)
    }

    // MARK: Flat scenes

    @Test func `a wall is flat, from whatever side`() {
        holds(.planar, "wall") { random in
            .wall(
                at: .random(in: 0.3...2.5, using: &random), yaw: .random(in: -0.8...0.8, using: &random),
                pitch: .random(in: -0.5...0.5, using: &random))
        }
        holds(.planar, "wall with holes", lost: 0.3) { .wall(at: .random(in: 0.3...4.5, using: &$0)) }
    }

    @Test func `a tablet before nothing that is measured is flat`() {
        holds(.planar, "tablet") { Self.tablet(&$0) }
    }

    @Test func `one plane must have nearly all measurements`() {
        // `lines` of the 72 lines are 10 cm nearer.
        func step(_ lines: Float) -> DepthMap {
            DepthView { _, y in y < (2 * lines / 72 - 1) * DepthView.extent.y ? 0.9 : 1 }.map()
        }
        #expect(scene(step(2)) == .planar)
        #expect(scene(step(6)) == .deep)
    }

    @Test func `a plane's measurements are near it`() {
        func waves(_ height: Float) -> DepthMap {
            // Of two lines each.
            DepthView { _, y in 1 + (Int((y / DepthView.extent.y + 1) * 18).isMultiple(of: 2) ? height : -height) }
                .map()
        }
        #expect(scene(waves(0.012)) == .planar)
        #expect(scene(waves(0.03)) == .deep)
    }

    @Test func `a plane beyond the sensor's reach is no evidence`() {
        #expect(scene(DepthView.wall(at: 4.9).map()) == .planar)
        #expect(scene(DepthView.wall(at: 5.1).map()) == .unclear)
    }

    // MARK: Planes held up

    @Test func `a tablet is seen before a room`() {
        holds(.heldPlane, "room") { .all([.room(using: &$0), Self.tablet(&$0)]) }
        holds(.heldPlane, "room, values lost", lost: 0.1) { .all([.room(using: &$0), Self.tablet(&$0)]) }
    }

    @Test func `a tablet is seen before a wall, near or far`() {
        holds(.heldPlane, "wall") { .all([.wall(at: .random(in: 1...40, using: &$0)), Self.tablet(&$0)]) }
    }

    @Test func `a tablet is seen however it is turned`() {
        holds(.heldPlane, "turned") { random in
            .all([
                .room(using: &random),
                .panel(at: 0.4, roll: .random(in: -1...1, using: &random), half: [0.4 * 0.4, 0.3 * 0.4]),
            ])
        }
    }

    @Test func `a screen that is nearly all of the map may go on beyond its edge`() {
        holds(.heldPlane, "wide") { .all([.room(using: &$0), .panel(at: 0.5, half: [1, 0.17])]) }
        holds(.heldPlane, "low") { random in
            let pitch = Float.random(in: -0.1...0.1, using: &random)
            return .all([.room(using: &random), .panel(at: 0.4, pitch: pitch, center: [0, 0.1], half: [0.24, 0.17])])
        }
    }

    @Test func `hands at its sides leave a tablet one`() {
        holds(.heldPlane, "hands") { random in
            let hands = [-1, 1].map { side -> DepthView in
                .ball([side * 0.18, .random(in: -0.06...0.06, using: &random), 0.4], radius: 0.035)
            }
            return .all([.room(using: &random), .panel(at: 0.4, half: [0.18, 0.13])] + hands)
        }
    }

    @Test(arguments: [
        ("as it is", Float(0.4), Float(0.45), Float(0), Float(1), DepthPlausibility.Scene.heldPlane),
        ("too small", 0.4, 0.28, 0, 1, .deep), ("too large", 1.3, 0.45, 0, 4, .deep),
        ("hardly before the wall", 0.4, 0.45, 0, 0.44, .deep),
        ("well before the wall", 0.4, 0.45, 0, 0.48, .heldPlane),
        ("not facing the camera", 0.4, 0.45, 0.9, 4, .deep),
    ])
    func `what is held up has its size, its place and its background`(
        what: String, distance: Float, half: Float, yaw: Float, background: Float, expected: DepthPlausibility.Scene
    ) {
        let panel = DepthView.panel(at: distance, yaw: yaw, half: [half, half * 0.75] * distance)
        #expect(scene(DepthView.all([.wall(at: background), panel]).map()) == expected, "\(what)")
    }

    @Test func `a disc is no screen`() {
        holds(.deep, "disc") { .all([.room(using: &$0), .panel(at: 0.5, half: [0.2, 0.2], isRound: true)]) }
    }

    @Test func `a laptop's screen stands on something`() {
        holds(.deep, "laptop") { random in
            let keyboard = DepthView.plane([0, 1, 0.1], through: [0, 0.1, 0.5])
            let screen = DepthView.panel(at: 0.5, half: [0.18, 0.11])
            return .all([
                .room(using: &random), screen, DepthView { x, y in abs(x) < 0.5 ? keyboard.distance(x, y) : .infinity },
            ])
        }
    }

    // MARK: Scenes with depth

    @Test func `rooms and their corners have depth`() {
        holds(.deep, "room") { .room(using: &$0) }
        holds(.deep, "corner") { random in
            let turn = Float.random(in: -0.4...0.4, using: &random)
            let distance = Float.random(in: 1...3, using: &random)
            return .all([
                .plane([1, 0, 1 + turn], through: [0, 0, distance]),
                .plane([-1, 0, 1 - turn], through: [0, 0, distance]),
                .plane([0, 1, 0], through: [0, distance * 0.25, 0]),
            ])
        }
        holds(.deep, "floor and wall") { random in
            let pitch = Float.random(in: 0.2...0.5, using: &random)
            return .all([
                .plane([0, -pitch, 1], through: [0, 0, .random(in: 1.5...4, using: &random)]),
                .plane([0, 1, pitch], through: [0, .random(in: 0.6...0.9, using: &random), 0]),
            ])
        }
    }

    @Test func `a desk with things on it has depth`() {
        holds(.deep, "desk") { random in
            let things = (0..<5).map { _ -> DepthView in
                let radius = Float.random(in: 0.05...0.1, using: &random)
                return .ball(
                    [.random(in: -0.25...0.25, using: &random), .random(in: -0.1...0.1, using: &random), 0.55],
                    radius: radius)
            }
            return .all([.plane([0, 0.8, 0.6], through: [0, 0.1, 0.6]), .wall(at: 2)] + things)
        }
    }

    @Test func `a person or a bent surface has depth`() {
        holds(.deep, "person") { random in
            let distance = Float.random(in: 0.4...1, using: &random)
            return .all([
                .room(using: &random), .ball([0, -0.05, distance + 0.1], radius: 0.1),
                .ball([0, 0.35, distance + 0.2], radius: 0.25),
            ])
        }
        holds(.deep, "bent") { random in
            let radius = Float.random(in: 0.4...2, using: &random)
            return .ball([0, 0, 0.8 + radius], radius: radius)
        }
    }

    @Test func `furniture and openings are not held up`() {
        holds(.deep, "fridge") { random in
            let distance = Float.random(in: 1.2...2, using: &random)
            return .all([.room(using: &random), .panel(at: distance, center: [0.1, 0.2], half: [0.35, 0.95])])
        }
        holds(.deep, "window") { random in
            let frame = DepthView.wall(at: .random(in: 0.8...3, using: &random))
            return DepthView { x, y in abs(x) < 0.4 && abs(y) < 0.3 ? 8 : frame.distance(x, y) }
        }
        holds(.deep, "table") { random in
            let pitch = Float.random(in: 0.9...1.5, using: &random)
            return .all([.wall(at: 3), .panel(at: 0.9, pitch: pitch, half: [0.4, 0.4])])
        }
    }

    @Test func `noise is no plane`() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            #expect(scene(DepthMap(64, 48, (0..<64 * 48).map { _ in .random(in: 0.2...5, using: &random) })) == .deep)
        }
    }
}
