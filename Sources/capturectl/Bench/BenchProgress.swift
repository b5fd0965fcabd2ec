/// Reports a benchmark's stages on standard error, one a line, and on a terminal how far the stage is.
struct BenchProgress: Sendable {
    private let line = Progress()

    /// Notes that another stage begins.
    func stage(_ text: String) { line.note("bench: \(text)…") }

    /// Shows how far the stage is.
    func count(_ done: Int, of total: Int) { line.show("bench: \(done) of \(total)") }
}
