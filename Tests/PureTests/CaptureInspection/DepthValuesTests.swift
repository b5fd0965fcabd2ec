import DeviceSimulator
import Testing

@testable import CaptureInspection

@Suite struct `What a depth map of any values shows` {
    private func scene(_ map: DepthMap) -> DepthPlausibility.Scene {
        DepthPlausibility().scene(map)
    }

    @Test(arguments: [(1, 1), (2, 2), (15, 300), (300, 15), (4096, 1), (1, 4096)])
    func `a map that is too small shows nothing`(width: Int, height: Int) {
        #expect(scene(DepthMap(width, height, Array(repeating: 1, count: width * height))) == .unclear)
    }

    @Test(arguments: [(16, 16), (16, 4096), (4096, 16), (17, 31), (256, 192)])
    func `a map of any shape is looked at`(width: Int, height: Int) {
        #expect(scene(DepthMap(width, height, Array(repeating: 1, count: width * height))) == .planar)
    }

    @Test(arguments: [
        Float.nan, .infinity, -.infinity, 0, -0.0, -1, .leastNonzeroMagnitude, .leastNormalMagnitude, 0.009, 1001,
        .greatestFiniteMagnitude,
    ])
    func `what no sensor measures is no measurement`(value: Float) {
        #expect(scene(DepthMap(96, 72, Array(repeating: value, count: 96 * 72))) == .unclear)
        // It does not disturb those that are either.
        let wall = (0..<96 * 72).map { $0.isMultiple(of: 5) ? value : 1 }
        #expect(scene(DepthMap(96, 72, wall)) == .planar)
    }

    @Test func `too few measurements show nothing`() {
        let wall = DepthView.wall(at: 1)
        #expect(scene(wall.map(lost: 0.8, seed: 1)) == .unclear)
        #expect(scene(wall.map(lost: 0.6, seed: 1)) == .planar)
    }

    @Test func `any values can be looked at, and always show the same`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let (width, height) = (Int.random(in: 1...120, using: &random), Int.random(in: 1...120, using: &random))
            let few = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            }
            let extremes: [Float] = [0.01, 1000, .nan, 1]
            let values = (0..<width * height).map { _ in (few + extremes).randomElement(using: &random) ?? 0 }
            let map = DepthMap(width, height, values)
            #expect(scene(map) == scene(map))
        }
    }
}
