import CaptureModel
import CoreMetrics
import Logging
import Observability
import TestSupport
import Testing

@Suite("A server that probes miss while it works")
struct ProbeSilenceTests {
    private let lines = LogRecorder()
    private let time = ManualTime()
    private let registry = PrometheusRegistry()
    private let away = "error postgres is away; waiting for it"
    private let back = "notice postgres is back"

    private func isUp() throws -> Bool {
        try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "postgres"]) == "1"
    }

    private func withLog(_ body: (OutageLog) throws -> Void) throws {
        try withMetricsFactory(registry) { () throws in
            try body(OutageLog(.postgres, logger: lines.logger, calm: .seconds(1)) { [time] in time.monotonic })
        }
    }

    @Test(arguments: [true, false])
    func `a server that a probe has missed is back with the first call that it answers a second later`(isWork: Bool)
        throws
    {
        try withLog { log throws in
            log.probed(isUp: false)
            time.advance(by: .milliseconds(999))
            log.back()
            #expect(try !isUp())
            #expect(lines.lines == [away])
            time.advance(by: .milliseconds(1))
            for _ in 0..<3 { if isWork { log.back() } else { log.answered() } }
            #expect(try isUp())
            #expect(lines.lines == [away, back])
            // Nobody tells it once more.
            time.advance(by: .seconds(30))
            log.probed(isUp: true)
            #expect(lines.lines.count == 2)
        }
    }

    @Test func `probes that are too slow now and then beside work are told once, and the gauge follows each`() throws {
        try withLog { log throws in
            for _ in 0..<10 {
                log.probed(isUp: false)
                #expect(try !isUp())
                time.advance(by: .seconds(2))
                log.back()
                #expect(try isUp())
            }
            #expect(lines.lines == [away, back])
            log.probed(isUp: false)
            time.advance(by: .seconds(2))
            log.probed(isUp: false)
            #expect(lines.lines == [away, back, away], "no call was answered between these two")
        }
    }

    @Test func `calls that fail after work has ended the silence of probes are an outage of their own`() throws {
        try withLog { log throws in
            log.probed(isUp: false)
            time.advance(by: .seconds(1))
            log.back()
            log.away("refused")
            #expect(lines.lines == [away, back, away])
            #expect(try !isUp())
            time.advance(by: .seconds(1))
            log.back()
            #expect(lines.lines == [away, back, away, back])
            #expect(try isUp())
        }
    }
}
