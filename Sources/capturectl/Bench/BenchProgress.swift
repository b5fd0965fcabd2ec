/// Tells on standard error what a benchmark is at: a line for each stage, and how far it is on a terminal.
struct BenchProgress: Sendable {
    private let line = Progress()

    /// Notes that another stage begins.
    func stage(_ text: String) { line.note("bench: \(text)…") }

    /// Shows how far the stage is.
    func count(_ done: Int, of total: Int) { line.show("bench: \(done) of \(total)") }
}
