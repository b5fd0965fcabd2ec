import ChaosKit
import Testing

@Suite("Whatever dies, nothing accepted is lost and nothing counts twice", .timeLimit(.minutes(15)))
struct ChaosTests {
    @Test func `a few seconds in which everything breaks that can`() async throws {
        var options = ChaosOptions(seed: 20_261_121, duration: .seconds(8))
        options.bundles = .filesystem
        options.devices = 8
        options.gap = .milliseconds(300) ... .milliseconds(600)
        let report = try await ChaosRun(options) { _ in }.run()
        #expect(report.isClean, "\(report.text)\n\(report.histories.joined(separator: "\n"))")
        #expect(report.omissions == [], "\(report.sent)")
        #expect(report.accepted > 20)
        #expect(report.results == report.accepted)
        // In this seed's schedule each of these is the first that befalls its victim: none of them is ever left out.
        let happened = Set(report.recoveries.map(\.fault))
        for kind in ["worker killed", "gateway killed", "Redis killed", "PostgreSQL killed"] {
            #expect(happened.contains(kind), "\(happened.sorted())")
        }
    }
}
