import Logging
import Observability
import Synchronization
import Testing

@Suite("One line when a server goes and one when it comes back")
struct OutageLogTests {
    private final class Lines: LogHandler, Sendable {
        let all = Mutex<[String]>([])
        let time = Mutex(ContinuousClock.now)

        var logLevel: Logger.Level {
            get { .notice }
            set {}
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) { all.withLock { $0.append("\(event.level) \(event.message)") } }

        var log: OutageLog {
            OutageLog(.redis, logger: Logger(label: "test") { _ in self }, calm: .seconds(1)) {
                self.time.withLock { $0 }
            }
        }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test func `however many calls meet it`() {
        let lines = Lines()
        let log = lines.log
        log.back()
        for _ in 0..<5 { log.away("refused") }
        #expect(log.isAway)
        lines.pass(.seconds(1))
        for _ in 0..<5 { log.back() }
        #expect(!log.isAway)
        #expect(lines.all.withLock { $0 } == ["error redis is away; waiting for it", "notice redis is back"])
    }

    @Test func `while some calls fail and others go through it is still away`() {
        let lines = Lines()
        let log = lines.log
        for _ in 0..<20 {
            log.away("refused")
            lines.pass(.milliseconds(900))
            log.back()
        }
        #expect(log.isAway && lines.all.withLock { $0.count } == 1)
    }
}
