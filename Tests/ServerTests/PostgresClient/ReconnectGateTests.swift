import Logging
import Testing
import TestSupport
import Waiting

@testable import PostgresClient

@Suite("Reconnecting", .timeLimit(.minutes(1)))
struct ReconnectGateTests {
    /// Longer than the suite may take: nobody waits it out.
    private static let long = Duration.seconds(3_600)
    private let fault = PostgresError(.connection, "refused")

    @Test func `attempts pause for twice as long each time, up to the cap`() async {
        let time = ManualTime()
        let gate = gate(time)
        for milliseconds in [100, 200, 400, 500, 500] {
            await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
            gate.noteFailure(fault)
            await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
            time.advance(by: .milliseconds(milliseconds - 1))
            await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
            time.advance(by: .milliseconds(1))
        }
        gate.noteSuccess()
        gate.noteFailure(fault)
        time.advance(by: .milliseconds(100))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
    }

    @Test func `while the server is away one attempt decides for all`() async {
        let time = ManualTime()
        let gate = gate(time)
        gate.noteFailure(fault)
        time.advance(by: .milliseconds(100))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        for _ in 0..<5 { await #expect(throws: fault) { try await gate.pass(by: time.monotonic) } }
        gate.noteSuccess()
        for _ in 0..<5 { await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) } }
    }

    @Test func `a call that is not let through is told why the server is away`() async {
        let time = ManualTime()
        let gate = gate(time)
        gate.noteFailure(PostgresError(.server("53300"), "too many clients already"))
        let paused = await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
        #expect(paused?.message == "53300 too many clients already; the next attempt comes shortly")
        time.advance(by: .milliseconds(100))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        let busy = await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
        #expect(busy?.message == "53300 too many clients already; an attempt to connect is under way")
        gate.noteSuccess()
        gate.noteSilence(since: time.monotonic + .milliseconds(1))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        let silent = await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
        #expect(silent?.message.hasPrefix("a session had no answer in time; ") == true)
    }

    /// As when a server is back and many phones come at once.
    @Test(arguments: [true, false])
    func `a call waits for the attempt under way, and goes on if it succeeds`(succeeds: Bool) async {
        let time = ManualTime()
        let gate = gate(time, attemptWait: Self.long)
        gate.noteFailure(fault)
        time.advance(by: .milliseconds(100))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        // It runs until it waits.
        let waiting = Task.immediate { try await gate.pass(by: time.monotonic + Self.long) }
        if succeeds { gate.noteSuccess() } else { gate.noteFailure(PostgresError(.connection, "starting up")) }
        do {
            try await waiting.value
            #expect(succeeds)
        } catch {
            #expect(!succeeds && "\(error)".contains("starting up"), "\(error)")
        }
    }

    @Test func `when the attempt under way finds nothing out, one of those who wait makes the next`() async throws {
        let time = ManualTime()
        let gate = gate(time, attemptWait: Self.long)
        gate.noteUndecided()
        try await gate.pass(by: time.monotonic)
        let waiting = Task.immediate { try await gate.pass(by: time.monotonic + Self.long) }
        gate.noteUndecided()
        try await waiting.value
        await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
    }

    @Test func `a call whose task is cancelled waits for no attempt, which goes on deciding for all`() async throws {
        let time = ManualTime()
        let gate = gate(time, attemptWait: Self.long)
        gate.noteUndecided()
        try await gate.pass(by: time.monotonic)
        let waiting = Task.immediate { try await gate.pass(by: time.monotonic + Self.long) }
        waiting.cancel()
        await #expect(throws: PostgresError(.cancelled, "")) { try await waiting.value }
        await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
        gate.noteSuccess()
        try await gate.pass(by: time.monotonic)
    }

    @Test func `an attempt that takes long is waited for by nobody`() async throws {
        let time = ManualTime()
        let gate = gate(time, attemptWait: .milliseconds(500))
        gate.noteUndecided()
        try await gate.pass(by: time.monotonic)
        time.advance(by: .milliseconds(500))
        await #expect(throws: fault) { try await gate.pass(by: time.monotonic + Self.long) }
    }

    @Test func `after a session's silence one attempt decides for all, at once`() async {
        let time = ManualTime()
        let gate = gate(time)
        gate.noteSilence(since: time.monotonic)
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        // Another session that is given up meanwhile makes no second attempt.
        gate.noteSilence(since: time.monotonic)
        for _ in 0..<5 { await #expect(throws: fault) { try await gate.pass(by: time.monotonic) } }
        gate.noteSuccess()
        for _ in 0..<5 { await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) } }
        gate.noteFailure(fault)
        // Nor does it shorten a pause.
        gate.noteSilence(since: time.monotonic)
        await #expect(throws: fault) { try await gate.pass(by: time.monotonic) }
        time.advance(by: .milliseconds(100))
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
    }

    @Test func `the silence of one session says nothing while the server answers others`() async {
        let time = ManualTime()
        let gate = gate(time)
        let began = time.monotonic
        time.advance(by: .milliseconds(100))
        gate.noteAnswer(since: time.monotonic)
        gate.noteSilence(since: began)
        for _ in 0..<5 { await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) } }
        // A session that was made counts as an answer.
        let later = time.monotonic
        time.advance(by: .milliseconds(100))
        gate.noteSuccess()
        gate.noteSilence(since: later)
        for _ in 0..<5 { await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) } }
    }

    @Test func `a caller who was too late to connect declares nothing away, and the next one decides for all`() async {
        let time = ManualTime()
        let gate = gate(time)
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        gate.noteUndecided()
        #expect(gate.turn == 0)
        await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) }
        for _ in 0..<5 { await #expect(throws: fault) { try await gate.pass(by: time.monotonic) } }
        gate.noteSuccess()
        for _ in 0..<5 { await #expect(throws: Never.self) { try await gate.pass(by: time.monotonic) } }
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
        let recorder = LogRecorder(from: .debug)
        let gate = gate(ManualTime(), recorder.logger)
        gate.noteSuccess()
        for _ in 0..<5 { gate.noteFailure(fault) }
        gate.noteSuccess()
        gate.noteSuccess()
        #expect(
            recorder.lines == [
                "debug no connection to PostgreSQL can be made", "debug a connection to PostgreSQL is made again",
            ])
    }

    @Test func `a server that answers its sessions and refuses another gives no more connections, and is not away`() {
        let (time, recorder) = (ManualTime(), LogRecorder())
        let gate = gate(time, recorder.logger)
        let began = time.monotonic
        time.advance(by: .milliseconds(1))
        gate.noteFailure(PostgresError(.connection, "too many clients already"))
        #expect(!gate.hasAnswered(since: began))
        // The answer may have been on its way when the server went.
        gate.noteAnswer(since: began)
        #expect(gate.hasAnswered(since: began) && recorder.lines.isEmpty)
        for _ in 0..<3 {
            time.advance(by: .milliseconds(1))
            gate.noteAnswer(since: time.monotonic)
        }
        #expect(recorder.lines == ["warning PostgreSQL answers, and no more connections can be made"])
        #expect(recorder.values(of: "fault") == ["too many clients already"])
        gate.noteFailure(fault)
        for _ in 0..<2 { gate.noteSuccess() }
        time.advance(by: .milliseconds(1))
        gate.noteAnswer(since: time.monotonic)
        #expect(recorder.lines.dropFirst() == ["notice PostgreSQL gives connections again"])
    }

    private func gate(
        _ time: ManualTime, _ logger: Logger = .quiet, attemptWait: Duration = .milliseconds(500)
    ) -> ReconnectGate {
        ReconnectGate(
            backoff: Backoff(base: .milliseconds(100), cap: .milliseconds(500), jitter: .full), logger: logger,
            chance: { 1 }, now: { time.monotonic }, attemptWait: attemptWait)
    }
}
