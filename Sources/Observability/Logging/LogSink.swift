import Glibc
import Synchronization

/// The destination of the log's lines: a file descriptor shared by all loggers, one line at a time.
///
/// A line is written where it is made, so that nothing is lost at exit. All lines of a second together wait for
/// ``patience`` at most, be the other end slow or not read at all: whoever logs may have leases to renew. Then lines are
/// dropped at once until there is room again, and the next line that is written follows a notice that says how many were
/// dropped.
package final class LogSink: Sendable {
    /// Waits for room in a descriptor for so many milliseconds at most; returns whether there is any.
    typealias Room = @Sendable (_ descriptor: Int32, _ milliseconds: Int32) -> Bool

    private struct State {
        var isStalled = false
        var isMidLine = false
        var dropped = 0
        /// How long lines may still wait before ``renewal``.
        var budget = Duration.zero
        /// When they may wait again; `nil` before the first line.
        var renewal: ContinuousClock.Instant?
    }

    /// How long lines wait for room in each ``period``.
    private let patience: Duration
    private let descriptor: Int32
    private let now: @Sendable () -> ContinuousClock.Instant
    private let room: Room
    private let state = Mutex(State())

    private static let period = Duration.seconds(1)

    /// Writes to a file descriptor, which the caller keeps owning.
    ///
    /// - Parameter patience: How long the lines of a second wait for room at most; whole milliseconds.
    package convenience init(descriptor: Int32, patience: Duration = .milliseconds(100)) {
        self.init(descriptor: descriptor, patience: patience, now: { .now }, room: waitForRoom)
    }

    /// Takes its clock and its waits from tests.
    init(
        descriptor: Int32, patience: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
        room: @escaping Room
    ) {
        self.descriptor = descriptor
        self.patience = patience
        self.now = now
        self.room = room
    }

    /// The process's standard error.
    package static let standardError = LogSink(descriptor: STDERR_FILENO)

    /// Whether the descriptor is a terminal, so that a person may read along.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a line that ends with a line feed, or drops it; `notice` makes the line that reports dropped ones.
    func write(_ line: String, notice: (Int) -> String) {
        state.withLock { state in
            renewBudget(&state)
            if state.dropped > 0 {
                guard put(notice(state.dropped), &state) else {
                    state.dropped += 1
                    return
                }
                state.dropped = 0
            }
            if !put(line, &state) { state.dropped += 1 }
        }
    }

    /// Writes a line in pieces that fit into a pipe whenever it is writable at all (POSIX `PIPE_BUF`).
    private func put(_ line: String, _ state: inout State) -> Bool {
        let bytes = Array((state.isMidLine ? "\n" + line : line).utf8)
        var written = 0
        while written < bytes.count {
            guard hasRoom(&state) else {
                state.isMidLine = state.isMidLine || written > 0
                return false
            }
            let piece = bytes[written..<min(bytes.count, written + Int(PIPE_BUF))]
            let count = piece.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
                state.isMidLine = false
            } else if count < 0, errno != EINTR, errno != EAGAIN {
                state.isMidLine = state.isMidLine || written > 0
                return false
            }
        }
        return true
    }

    /// Lets lines wait again once a second is over; between lines, so that no line waits for longer than ``patience``.
    private func renewBudget(_ state: inout State) {
        let time = now()
        if let renewal = state.renewal, time < renewal { return }
        (state.budget, state.renewal) = (patience, time + Self.period)
    }

    /// Whether a piece can be written; waits for that as long as lines may still wait.
    private func hasRoom(_ state: inout State) -> Bool {
        var isReady = room(descriptor, 0)
        if !isReady, !state.isStalled, state.budget > .zero {
            let began = now()
            isReady = room(descriptor, Int32(clamping: Int64(state.budget / .milliseconds(1))))
            state.budget -= now() - began
        }
        state.isStalled = !isReady
        return isReady
    }
}

private func waitForRoom(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, milliseconds) > 0
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
