import Foundation
import Synchronization
import Testing

@testable import Observability

/// A pipe whose reader takes 4 KiB every 95 ms, by a clock that only the test and the writer's waits move.
private final class SlowReader: Sendable {
    private struct State {
        var now: ContinuousClock.Instant
        var nextRead: ContinuousClock.Instant
        var waited = Duration.zero
        var heard: [UInt8] = []
    }

    let descriptor: Int32
    private let end: Int32
    private let state: Mutex<State>

    private static let pause = Duration.milliseconds(95)

    init() throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        try #require(made == 0)
        end = ends[0]
        descriptor = ends[1]
        let start = ContinuousClock.now
        state = Mutex(State(now: start, nextRead: start + Self.pause))
        // Nobody waits in this test but by its own clock.
        try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
    }

    deinit {
        close(end)
        close(descriptor)
    }

    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// How long its writer has waited for it.
    var waited: Duration { state.withLock { $0.waited } }

    /// The writer works, and logs nothing.
    func pass(_ time: Duration) {
        state.withLock { state in
            state.now += time
            catchUp(&state)
        }
    }

    /// The writer waits for room, for so many milliseconds at most.
    func wait(_ milliseconds: Int32) -> Bool {
        state.withLock { state in
            let limit = state.now + .milliseconds(Int(milliseconds))
            while !hasRoom, state.nextRead <= limit {
                state.waited += state.nextRead - state.now
                state.now = state.nextRead
                catchUp(&state)
            }
            if hasRoom { return true }
            state.waited += limit - state.now
            state.now = limit
            return false
        }
    }

    /// Everything that it has read, and what is left in the pipe.
    func text() -> String {
        state.withLock { state in
            while read(into: &state) > 0 {}
            return String(decoding: state.heard, as: UTF8.self)
        }
    }

    /// Leaves no room in the pipe.
    func fill() {
        let bytes = [UInt8](repeating: UInt8(ascii: "."), count: Int(PIPE_BUF) - 1) + [UInt8(ascii: "\n")]
        while hasRoom { _ = Foundation.write(descriptor, bytes, bytes.count) }
    }

    private var hasRoom: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    private func catchUp(_ state: inout State) {
        while state.nextRead <= state.now {
            _ = read(into: &state)
            state.nextRead += Self.pause
        }
    }

    private func read(into state: inout State) -> Int {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(end, &bytes, bytes.count)
        if count > 0 { state.heard += bytes[..<count] }
        return count
    }
}

@Suite("Lines of the log whose reader is slow", .timeLimit(.minutes(1)))
struct LogSinkTests {
    private func sink(to reader: SlowReader) -> LogSink {
        LogSink(
            descriptor: reader.descriptor, patience: .milliseconds(100), now: { reader.now },
            room: { reader.wait($1) })
    }

    /// Each wait is short, and one after the other they would let a program log at its reader's pace.
    @Test func `a slow reader holds a program for a tenth of its time at the most, and hears what it missed`() throws {
        let reader = try SlowReader()
        let sink = sink(to: reader)
        let padding = String(repeating: "x", count: 100)
        // Five seconds of work, and of more lines than 4 KiB every 95 ms.
        for number in 0..<20_000 {
            reader.pass(.microseconds(250))
            sink.write("line \(number) \(padding)\n") { "dropped \($0)\n" }
        }
        #expect(reader.waited > .zero && reader.waited <= .milliseconds(600))
        _ = reader.text()
        sink.write("after\n") { "dropped \($0)\n" }
        let text = reader.text()
        let lines = text.split(separator: "\n")
        let whole = lines.count { $0.hasPrefix("line ") && $0.hasSuffix(padding) }
        let dropped = lines.filter { $0.hasPrefix("dropped ") }.compactMap { Int($0.dropFirst("dropped ".count)) }
        #expect(whole + dropped.reduce(0, +) == 20_000 && dropped.count > 1)
        #expect(lines.last == "after")
    }

    @Test func `a line of several pieces waits no longer than one of a single piece`() throws {
        let reader = try SlowReader()
        reader.fill()
        sink(to: reader).write(String(repeating: "x", count: 5 * Int(PIPE_BUF)) + "\n") { "dropped \($0)\n" }
        #expect(reader.waited == .milliseconds(100))
    }
}
