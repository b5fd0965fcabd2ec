import CaptureModel
import DeviceSimulator
import Foundation
import TestSupport
import Testing

@testable import capturectl

@Suite("What a benchmark is about to do")
struct BenchPlanTests {
    @Test func `bench drain has other devices in each step of its results, and in its runs`() {
        let bench = DrainBench(
            bundleBytes: 4096, devices: 1, rounds: 10, workers: [1], results: [10, 20, 30], settings: "Config",
            seed: 1)
        let seeds = bench.results.map { bench.seed(upTo: $0) } + [bench.seed]
        let devices = seeds.map { seed in
            var generator = SeededGenerator(seed: seed)
            return DeviceID.make(using: &generator)
        }
        #expect(Set(devices).count == 4)
    }

    @Test func `bench drain refuses captures of which some devices would have more than others`() {
        let settings = ["--settings", Repository.directory.appendingPathComponent("Config").path]
        let refused = BenchDrainCommand.refusal(of: ["--devices", "1000", "--captures", "1999"] + settings)
        #expect(refused.hasPrefix("--captures takes a multiple of --devices"), "\(refused)")
        #expect(BenchDrainCommand.refusal(of: ["--devices", "1000", "--captures", "2000"] + settings) == "taken")
    }

    @Test(arguments: [(2000, 256), (3000, 16), (7, 7), (1, 1)])
    func `bench ingest makes as many uploads as it is told, about as many over each connection`(
        uploads: Int, connections: Int
    ) {
        let bench = IngestBench(
            bundleBytes: 4096, connections: connections, uploads: uploads, settings: "Config", seed: 1)
        let each = (0..<connections).map(bench.uploads(of:))
        #expect(each.reduce(0, +) == uploads)
        #expect(Set(each).isSubset(of: [uploads / connections, uploads / connections + 1]))
    }
}
