import Glibc
import Synchronization

/// One line on standard error with the progress of long work; on a terminal only, and cleared at the end.
final class Progress: Sendable {
    /// Whether there is a terminal on which a line can be overwritten.
    let isShown = Terminal.canSteer(STDERR_FILENO)
    /// Returns to the line's beginning and erases the rest (ECMA-48).
    private static let clearing = "\r\u{1B}[K"
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Shows a text in place of the one before, at most ten times a second.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        last.withLock { last in
            guard last.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else { return }
            last = now
            // Within the lock, so that the lines of several tasks do not mix.
            standardError(ShownText.line(text()), after: Self.clearing)
        }
    }

    /// Writes a line that stays to be read, terminal or not.
    func note(_ text: String) {
        last.withLock { last in
            standardError("\(ShownText.line(text))\n", after: last == nil ? "" : Self.clearing)
            last = nil
        }
    }

    /// Clears the line for what comes after.
    func finish() {
        last.withLock { last in
            if last != nil { standardError("", after: Self.clearing) }
            last = nil
        }
    }
}
