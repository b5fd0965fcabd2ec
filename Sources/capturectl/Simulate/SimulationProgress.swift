import Synchronization

/// Tells on standard error how far a simulation is: on a terminal always, otherwise now and then in a line.
final class SimulationProgress: Sendable {
    private struct Counts {
        var sent = 0
        var done = 0
    }

    /// After how many steps there is another line where there is no terminal.
    private static let stepsPerLine = 20

    private let total: Int
    private let line = Progress()
    private let counts = Mutex(Counts())

    /// Begins a run of that many captures.
    init(total: Int) {
        self.total = total
    }

    /// A capture was answered at the door.
    func sentOne() { update { $0.sent += 1 } }

    /// A capture's outcome is known, or was waited for long enough.
    func finishedOne() { update { $0.done += 1 } }

    /// Something that stays to be read.
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
