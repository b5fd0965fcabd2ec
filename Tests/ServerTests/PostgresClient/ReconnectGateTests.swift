import Backoff
import Logging
import TestSupport
import Testing

@testable import PostgresClient

@Suite("Reconnecting")
struct ReconnectGateTests {
    private let fault = PostgresError(.connection, "refused")

    @Test func `attempts pause for twice as long each time, up to the cap`() {
        let time = ManualTime()
        let gate = gate(time)
        for milliseconds in [100, 200, 400, 500, 500] {
            #expect(throws: Never.self) { try gate.pass() }
            gate.noteFailure(fault)
            #expect(throws: fault) { try gate.pass() }
            time.advance(by: .milliseconds(milliseconds - 1))
            #expect(throws: fault) { try gate.pass() }
            time.advance(by: .milliseconds(1))
        }
        gate.noteSuccess()
        gate.noteFailure(fault)
        time.advance(by: .milliseconds(100))
        #expect(throws: Never.self) { try gate.pass() }
    }

    @Test func `while the server is away one attempt decides for all`() {
        let time = ManualTime()
        let gate = gate(time)
        gate.noteFailure(fault)
        time.advance(by: .milliseconds(100))
        #expect(throws: Never.self) { try gate.pass() }
        for _ in 0..<5 { #expect(throws: fault) { try gate.pass() } }
        gate.noteSuccess()
        for _ in 0..<5 { #expect(throws: Never.self) { try gate.pass() } }
    }

    @Test func `after a session's silence one attempt decides for all, at once`() {
        let time = ManualTime()
        let gate = gate(time)
        gate.noteSilence(since: time.monotonic)
        #expect(throws: Never.self) { try gate.pass() }
        // Another session that is given up meanwhile makes no second attempt.
        gate.noteSilence(since: time.monotonic)
        for _ in 0..<5 { #expect(throws: fault) { try gate.pass() } }
        gate.noteSuccess()
        for _ in 0..<5 { #expect(throws: Never.self) { try gate.pass() } }
        gate.noteFailure(fault)
        // Nor does it shorten a pause.
        gate.noteSilence(since: time.monotonic)
        #expect(throws: fault) { try gate.pass() }
        time.advance(by: .milliseconds(100))
        #expect(throws: Never.self) { try gate.pass() }
    }

    @Test func `the silence of one session says nothing while the server answers others`() {
        let time = ManualTime()
        let gate = gate(time)
        let began = time.monotonic
        time.advance(by: .milliseconds(100))
        gate.noteAnswer()
        gate.noteSilence(since: began)
        for _ in 0..<5 { #expect(throws: Never.self) { try gate.pass() } }
        // A session that was made counts as an answer.
        let later = time.monotonic
        time.advance(by: .milliseconds(100))
        gate.noteSuccess()
        gate.noteSilence(since: later)
        for _ in 0..<5 { #expect(throws: Never.self) { try gate.pass() } }
    }

    @Test func `a caller who was too late to connect declares nothing away, and the next one decides for all`() {
        let time = ManualTime()
        let gate = gate(time)
        #expect(throws: Never.self) { try gate.pass() }
        gate.noteUndecided()
        #expect(gate.turn == 0)
        #expect(throws: Never.self) { try gate.pass() }
        for _ in 0..<5 { #expect(throws: fault) { try gate.pass() } }
        gate.noteSuccess()
        for _ in 0..<5 { #expect(throws: Never.self) { try gate.pass() } }
    }

    @Test func `the next session begins with the server that let the last one in`() {
        let gate = gate(ManualTime())
        let turn = gate.turn
        // Two sessions, opened at the same time, have both passed over one silent server.
        gate.noteTurn(turn + 1, from: turn)
        gate.noteTurn(turn + 1, from: turn)
        #expect(gate.turn == turn + 1)
        gate.noteFailure(fault)
        #expect(gate.turn == turn + 2)
    }

    @Test func `an outage is logged once when it begins and once when it ends`() {
        let recorder = LogRecorder()
        let gate = gate(ManualTime(), recorder.logger)
        gate.noteSuccess()
        for _ in 0..<5 { gate.noteFailure(fault) }
        gate.noteSuccess()
        gate.noteSuccess()
        #expect(recorder.lines.map { $0.drop { $0 != " " }.dropFirst() } == ["postgres is away", "postgres is back"])
    }

    private func gate(_ time: ManualTime, _ logger: Logger = .quiet) -> ReconnectGate {
        ReconnectGate(
            backoff: Backoff(base: .milliseconds(100), cap: .milliseconds(500), jitter: .full), logger: logger,
            jitter: { 1 }, now: { time.monotonic })
    }
}
