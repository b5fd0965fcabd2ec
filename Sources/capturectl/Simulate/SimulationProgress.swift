import Synchronization

/// Reports a simulation's progress on standard error: steadily on a terminal, otherwise a line now and then.
final class SimulationProgress: Sendable {
    private struct Counts {
        var sent = 0
        var done = 0
    }

    /// How many steps pass between two lines without a terminal.
    private static let stepsPerLine = 20

    private let total: Int
    private let line = Progress()
    private let counts = Mutex(Counts())

    /// Begins a run of that many captures.
    init(total: Int) {
        self.total = total
    }

    /// Counts a capture whose upload was answered.
    func sentOne() { update { $0.sent += 1 } }

    /// Counts a capture whose outcome is known, or was waited for long enough.
    func finishedOne() { update { $0.done += 1 } }

    /// Writes a line that stays.
    func note(_ text: String) { line.note(text) }

    /// Clears the line for what comes after.
    func finish() { line.finish() }

    private func update(_ change: (inout Counts) -> Void) {
        counts.withLock { counts in
            change(&counts)
            let text = "captures: \(counts.sent) of \(total) sent, \(counts.done) done with"
            if line.isShown {
                line.show(text)
            } else if (counts.sent + counts.done) % Self.stepsPerLine == 0 || counts.done == total {
                line.note(text)
            }
        }
    }
}
