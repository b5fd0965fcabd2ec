import Logging
import Observability
import TestSupport
import Testing

@Suite("One line when a server goes and one when it comes back")
struct OutageLogTests {
    private let lines = LogRecorder()
    private let time = ManualTime()

    private var log: OutageLog {
        OutageLog(.redis, logger: lines.logger, calm: .seconds(1)) { time.monotonic }
    }

    @Test func `however many calls meet it`() {
        let log = log
        log.back()
        for _ in 0..<5 { log.away("refused") }
        #expect(log.isAway)
        time.advance(by: .seconds(1))
        for _ in 0..<5 { log.back() }
        #expect(!log.isAway)
        #expect(lines.lines == ["error redis is away; waiting for it", "notice redis is back"])
    }

    @Test func `while some calls fail and others go through it is still away`() {
        let log = log
        for _ in 0..<20 {
            log.away("refused")
            time.advance(by: .milliseconds(900))
            log.back()
        }
        #expect(log.isAway && lines.lines.count == 1)
    }
}
