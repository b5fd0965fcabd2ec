import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells on standard error how far a simulation is: one line that is overwritten on a terminal, lines otherwise.
final class ProgressLine: Sendable {
    private struct State {
        var sent = 0
        var settled = 0
        var shown = ""
    }

    private let total: Int
    private let overwrites: Bool
    private let state = Mutex(State())

    /// Starts a line for a run of that many captures.
    init(total: Int) {
        self.total = total
        self.overwrites = isatty(STDERR_FILENO) == 1
    }

    /// A capture was answered at the door.
    func sentOne() { update { $0.sent += 1 } }

    /// A capture's outcome is known.
    func settledOne() { update { $0.settled += 1 } }

    /// Something that stays to be read.
    func note(_ text: String) {
        state.withLock { state in
            standardError(overwrites ? "\r\u{1B}[K\(text)\n\(state.shown)" : "\(text)\n")
        }
    }

    /// Clears the line for what comes after.
    func finish() {
        state.withLock { state in
            if overwrites, !state.shown.isEmpty { standardError("\r\u{1B}[K") }
            state.shown = ""
        }
    }

    private func update(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            let text = "captures: \(state.sent) of \(total) sent, \(state.settled) settled"
            if overwrites {
                state.shown = text
                standardError("\r\u{1B}[K\(text)")
            } else if (state.sent + state.settled) % 20 == 0 || state.settled == total {
                standardError("\(text)\n")
            }
        }
    }
}
