import ArgumentParser
import StandardStreams
import SystemPackage

/// Writes a text to standard error as it may be shown on a terminal.
/// - Parameter signs: The terminal's escape sequences, written first and unescaped.
func standardError(_ text: String, after signs: String = "") {
    StandardStreams.note(signs + ShownText.lines(text))
}

/// A fault of writing to standard output.
struct OutputClosed: Error, CustomStringConvertible {
    /// The `errno` of the fault.
    let code: CInt

    /// Whether the reader of the pipe is gone, as `head` is once it has its lines.
    var isReaderGone: Bool { Errno(rawValue: code) == .brokenPipe }

    var description: String { "standard output takes nothing more: \(Errno(rawValue: code))" }
}

/// Writes an answer to standard output; an answer that cannot be delivered is a failure.
/// - Throws: ``CommandEnd/readerGone``, or ``CommandEnd/unwritten`` after reporting it on the error stream.
func printAnswer(_ text: String, terminator: String = "\n") throws(ExitCode) {
    do throws(OutputClosed) {
        try standardOutput(text + terminator)
    } catch {
        throw CommandEnd.reported(error)
    }
}

/// Writes to standard output.
func standardOutput(_ text: String) throws(OutputClosed) {
    if let code = StandardStreams.answer(text) { throw OutputClosed(code: code) }
}
