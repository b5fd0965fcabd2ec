import Glibc
import Synchronization

/// The destination of the log's lines: a file descriptor shared by all loggers, one line at a time.
///
/// A line is written where it is made, so that nothing is lost at exit. When nobody reads the other end, a line waits
/// for ``patience`` at most. Then lines are dropped at once until there is room again, and the next line that is
/// written follows a notice that says how many were dropped.
package final class LogSink: Sendable {
    private struct State {
        var isStalled = false
        var isMidLine = false
        var dropped = 0
    }

    /// Milliseconds that a line waits for room.
    private let patience: Int32
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Writes to a file descriptor, which the caller keeps owning.
    ///
    /// - Parameter patience: How long a line waits for room at most; whole milliseconds.
    package init(descriptor: Int32, patience: Duration = .milliseconds(100)) {
        self.descriptor = descriptor
        self.patience = Int32(clamping: Int64(patience / .milliseconds(1)))
    }

    /// The process's standard error.
    package static let standardError = LogSink(descriptor: STDERR_FILENO)

    /// Whether the descriptor is a terminal, so that a person may read along.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a line that ends with a line feed, or drops it; `notice` makes the line that reports dropped ones.
    func write(_ line: String, notice: (Int) -> String) {
        state.withLock { state in
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
            guard waitForRoom(&state) else {
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

    private func waitForRoom(_ state: inout State) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let isReady = poll(&request, 1, state.isStalled ? 0 : patience) > 0
        state.isStalled = !isReady
        return isReady
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
