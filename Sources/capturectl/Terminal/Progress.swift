import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One line on standard error that tells how far long work is; on a terminal only, and gone when the work is done.
final class Progress: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Shows a text in place of the one before, at most ten times a second.
    func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            guard last.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else { return false }
            last = now
            return true
        }
        if isDue { standardError("\r\u{1B}[K\(text())") }
    }

    /// Clears the line for what comes after.
    func finish() {
        guard isShown, last.withLock({ $0 != nil }) else { return }
        standardError("\r\u{1B}[K")
    }
}
