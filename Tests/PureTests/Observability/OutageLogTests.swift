import CaptureModel
import CoreMetrics
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

    @Test func `a server that goes is told once, however many calls meet it`() {
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

    @Test func `an answer ends an outage, but not one of what the server refuses`() {
        let log = log
        log.away("no connection")
        time.advance(by: .seconds(1))
        log.answered()
        #expect(!log.isAway)
        log.away("read only", isRefusal: true)
        for _ in 0..<250 {
            time.advance(by: .seconds(1))
            log.answered()
            log.probed(isUp: true)
        }
        #expect(log.isAway, "a probe changes nothing, so it tells nothing")
        // Neither does the server's own outage on top of it.
        log.away("no connection")
        time.advance(by: .seconds(2))
        log.answered()
        #expect(log.isAway)
        log.back()
        #expect(!log.isAway && lines.lines.count == 5)
    }

    /// A disk that is full, and then is gone.
    @Test func `a fault of the other kind is told half a minute after the last one, and others are not`() {
        let log = log
        log.away("full", isRefusal: true)
        log.away("gone")
        time.advance(by: .seconds(30))
        log.away("full", isRefusal: true)
        for _ in 0..<2 { log.away("gone") }
        log.away("full", isRefusal: true)
        #expect(lines.values(of: "fault") == ["full", "gone"])
        #expect(lines.lines == Array(repeating: "error redis is away; waiting for it", count: 2))
    }

    @Test func `work that is done too soon to be believed makes an answer enough`() {
        let log = log
        log.away("read only", isRefusal: true)
        log.back()
        #expect(log.isAway)
        time.advance(by: .seconds(1))
        log.answered()
        #expect(!log.isAway)
    }

    @Test func `work that is done too soon to be believed, and nothing after it, is enough at the next look`() throws {
        let registry = PrometheusRegistry()
        func gauge() throws -> String? {
            try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "bundles"])
        }
        try withMetricsFactory(registry) { () throws in
            let logs = OutageLogs(logger: lines.logger) { time.monotonic }
            logs.bundles.away("not mounted")
            logs.bundles.back()
            logs.probed(.redis, isUp: true)
            #expect(try gauge() == "0")
            logs.bundles.away("not mounted")
            time.advance(by: .seconds(60))
            logs.probed(.redis, isUp: true)
            #expect(try gauge() == "0", "it has failed since")
            logs.bundles.back()
            #expect(try gauge() == "1")
            logs.bundles.away("not mounted")
            logs.bundles.back()
            time.advance(by: .seconds(1))
            logs.probed(.postgres, isUp: false)
            #expect(try gauge() == "1")
            #expect(!logs.bundles.isAway && lines.lines.count == 5, "postgres is away, and the bundles twice and back")
        }
    }

    @Test func `a refusal that nobody has met for long is over once the server answers`() {
        let log = log
        log.away("read only", isRefusal: true)
        time.advance(by: .seconds(299))
        log.answered()
        #expect(log.isAway)
        time.advance(by: .seconds(1))
        log.answered()
        #expect(!log.isAway)
    }

    @Test func `a probe shows a server away, and there only while nothing is refused`() throws {
        let registry = PrometheusRegistry()
        func gauge() throws -> String? {
            try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "redis"])
        }
        try withMetricsFactory(registry) { () throws in
            let log = log
            log.probed(isUp: false)
            #expect(try gauge() == "0")
            #expect(!log.isAway)
            log.probed(isUp: true)
            #expect(try gauge() == "1")
            log.away("read only", isRefusal: true)
            time.advance(by: .seconds(5))
            log.probed(isUp: true)
            #expect(try gauge() == "0")
            log.back()
            #expect(try gauge() == "0", "it may refuse the next call again")
            time.advance(by: .seconds(25))
            log.probed(isUp: true)
            #expect(try gauge() == "1")
        }
    }

    @Test func `a server that probes miss is told once, with the fault, and holds up no work`() {
        let log = log
        for _ in 0..<2 { log.probed(isUp: false, fault: "why") }
        #expect(!log.isAway && lines.lines == ["error redis is away; waiting for it"])
        #expect(lines.values(of: "fault") == ["why"])
        log.probed(isUp: true)
        log.probed(isUp: false, fault: "slow")
        #expect(lines.lines.count == 1, "one that is missed now and then is one change")
        time.advance(by: .seconds(30))
        for _ in 0..<2 { log.probed(isUp: true) }
        #expect(lines.lines == ["error redis is away; waiting for it", "notice redis is back"])
    }

    @Test func `an outage that a probe has told of before the calls meet it is one`() {
        let log = log
        log.probed(isUp: false)
        log.away("refused")
        #expect(log.isAway)
        log.probed(isUp: true)
        #expect(lines.lines.count == 1, "calls failed a moment ago")
        time.advance(by: .seconds(1))
        log.back()
        log.probed(isUp: true)
        #expect(!log.isAway)
        #expect(lines.lines == ["error redis is away; waiting for it", "notice redis is back"])
    }

    @Test func `a damaged key is told once as what it is, and is no outage, but the gauge is down meanwhile`() throws {
        let registry = PrometheusRegistry()
        func gauge() throws -> String? {
            try StrictExposition(registry.render()).value("capture_dependency_up", ["dependency": "redis"])
        }
        try withMetricsFactory(registry) { () throws in
            let log = log
            for _ in 0..<2 { log.probed(damage: "DAMAGED key") }
            #expect(try gauge() == "0")
            #expect(!log.isAway)
            log.back()
            #expect(try gauge() == "0", "a call that does not need the key says nothing of it")
            log.probed(isUp: true)
            #expect(try gauge() == "1")
        }
        #expect(
            lines.lines == [
                "error redis is there, but a key that tells its state is damaged", "notice redis tells its state again",
            ])
        #expect(lines.values(of: "fault") == ["DAMAGED key"])
    }

    @Test func `an outage while a key is damaged is told, and ends with the answer that names the key`() throws {
        let registry = PrometheusRegistry()
        try withMetricsFactory(registry) { () throws in
            let log = log
            log.probed(damage: "DAMAGED key")
            log.away("no connection")
            time.advance(by: .seconds(1))
            log.probed(damage: "DAMAGED key")
            #expect(!log.isAway)
            let exposition = try StrictExposition(registry.render())
            #expect(exposition.value("capture_dependency_up", ["dependency": "redis"]) == "0")
        }
        #expect(
            lines.lines == [
                "error redis is there, but a key that tells its state is damaged",
                "error redis is away; waiting for it", "notice redis is back",
            ])
    }

    @Test func `a probe in the middle of an outage is no news`() {
        let log = log
        log.away("refused")
        log.probed(isUp: false)
        time.advance(by: .seconds(1))
        log.back()
        log.probed(isUp: true)
        #expect(lines.lines == ["error redis is away; waiting for it", "notice redis is back"])
    }
}
