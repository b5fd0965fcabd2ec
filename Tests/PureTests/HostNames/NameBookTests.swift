import TestSupport
import Testing

@testable import HostNames

@Suite("The book of names")
struct NameBookTests {
    @Test func `whoever waits for a lookup shares it, and is told once`() {
        let time = ManualTime()
        var book = NameBook<Int>(namesMax: 4, patience: .seconds(1))
        #expect(book.ask("db", 1, at: time.monotonic)?.isFirst == true)
        let second = book.ask("db", 2, at: time.monotonic)
        #expect(second?.isFirst == false)
        #expect(book.ask("queue", 3, at: time.monotonic)?.isFirst == true)
        if let second { book.withdraw(second.id, "db") }
        #expect(book.end("db", .success(["192.0.2.7"])).waiters == [1])
        #expect(book.end("db", .success(["192.0.2.7"])).waiters == [])
        #expect(book.ask("db", 4, at: time.monotonic)?.known == ["192.0.2.7"])
    }

    @Test func `a lookup that is late already holds up nobody who comes later`() {
        let time = ManualTime()
        var book = NameBook<Int>(namesMax: 4, patience: .seconds(1))
        let start = time.monotonic
        _ = book.ask("db", 1, at: start)
        time.advance(by: .seconds(5))
        let late = book.ask("db", 2, at: time.monotonic)
        #expect(late?.patientUntil == start + .seconds(1))
    }

    @Test func `an address that is known leaves three quarters of the time for connecting`() {
        let now = ContinuousClock.now
        let known = NameQuestion(known: ["192.0.2.7"], patientUntil: now + .seconds(9)) {}
        #expect(known.waitEnd(by: now + .seconds(2), now: now) == now + .milliseconds(500))
        #expect(known.waitEnd(by: now + .seconds(99), now: now) == now + .seconds(9))
        let unknown = NameQuestion(known: [], patientUntil: now + .seconds(1)) {}
        #expect(unknown.waitEnd(by: now + .seconds(2), now: now) == now + .seconds(2))
    }
}
