import TestSupport
import Testing

@testable import PostgresClient

@Suite("The sessions of a client")
struct SessionCensusTests {
    @Test func `without any, and one that takes too long to open, the server is not there`() {
        let time = ManualTime()
        let census = SessionCensus()
        #expect(!census.isHanging(after: .seconds(2), now: time.monotonic))
        census.noteOpening(1, at: time.monotonic)
        time.advance(by: .seconds(2))
        census.noteOpening(2, at: time.monotonic)
        #expect(!census.isHanging(after: .seconds(2), now: time.monotonic))
        time.advance(by: .milliseconds(1))
        #expect(census.isHanging(after: .seconds(2), now: time.monotonic))
        census.noteEnd(1)
        #expect(!census.isHanging(after: .seconds(2), now: time.monotonic))
    }

    @Test func `while one is there, a full pool is at work`() {
        let time = ManualTime()
        let census = SessionCensus()
        census.note(hasSession: true, had: false)
        census.noteOpening(2, at: time.monotonic)
        time.advance(by: .seconds(9))
        #expect(!census.isHanging(after: .seconds(2), now: time.monotonic))
        census.note(hasSession: false, had: true)
        #expect(census.isHanging(after: .seconds(2), now: time.monotonic))
    }
}
