import CaptureModel
import CoreMetrics
import Logging
import Observability
import TestSupport
import Testing

@Suite("A server that refuses some work and does other")
struct OutageRelapseTests {
    private let lines = LogRecorder()
    private let time = ManualTime()

    /// As a disk that is nearly full does while workers remove what is settled.
    @Test func `refusals and work in turn are one outage, over when nothing was refused for half a minute`() throws {
        let registry = PrometheusRegistry()
        func gauge() throws -> String? {
            try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "bundles"])
        }
        try withMetricsFactory(registry) { () throws in
            let logs = OutageLogs(logger: lines.logger) { time.monotonic }
            for _ in 0..<20 {
                logs.bundles.away("full", isRefusal: true)
                for _ in 0..<2 {
                    time.advance(by: .milliseconds(1_400))
                    logs.bundles.back()
                    logs.probed(.redis, isUp: true)
                }
                #expect(!logs.bundles.isAway, "work goes on meanwhile")
                #expect(try gauge() == "0")
            }
            time.advance(by: .milliseconds(27_199))
            logs.bundles.back()
            #expect(lines.lines == ["error bundles is away; waiting for it"])
            time.advance(by: .milliseconds(1))
            logs.probed(.redis, isUp: true)
            #expect(lines.lines == ["error bundles is away; waiting for it", "notice bundles is back"])
            #expect(try gauge() == "1")
        }
    }
}
