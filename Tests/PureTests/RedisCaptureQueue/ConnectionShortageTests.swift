import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite struct `A server that gives no more connections` {
    private let time = ManualTime()
    private let recorder = LogRecorder()
    private let fault = RedisError(.connection, "max number of clients reached")

    private var shortage: ConnectionShortage {
        ConnectionShortage(logger: recorder.logger) { [time] in time.monotonic }
    }

    @Test func `a shortage of connections is told at the second failure in a row, and once when it is over`() throws {
        let shortage = shortage
        for lines in [0, 1, 1] {
            shortage.noteFailure(fault, of: try #require(shortage.beginAttempt()))
            #expect(recorder.lines.count == lines)
            time.advance(by: .seconds(1))
        }
        #expect(shortage.beginAttempt() == .again)
        for _ in 0..<2 { shortage.noteSuccess() }
        #expect(
            recorder.lines == [
                "warning Redis answers, and no more connections can be made", "notice Redis gives connections again",
            ])
        #expect(recorder.values(of: "fault") == ["\(fault)"])
        #expect(shortage.beginAttempt() == .first)
    }

    /// As of claims that begin together while the server goes away.
    @Test func `attempts that fail together say nothing of a server that is there`() {
        let shortage = shortage
        let attempts = (0..<4).compactMap { _ in shortage.beginAttempt() }
        #expect(attempts.count == 4)
        for attempt in attempts { shortage.noteFailure(fault, of: attempt) }
        #expect(recorder.lines == [])
    }

    @Test func `after a failure one attempt a second is made, whoever comes, also while one goes on`() {
        let shortage = shortage
        shortage.noteFailure(fault, of: .first)
        time.advance(by: .milliseconds(999))
        #expect(shortage.beginAttempt() == nil)
        time.advance(by: .milliseconds(1))
        #expect(shortage.beginAttempt() == .again)
        #expect(shortage.beginAttempt() == nil)
    }
}
