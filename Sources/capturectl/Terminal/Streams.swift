import ArgumentParser
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes to standard error by its descriptor, as C's `stderr` is a global variable.
///
/// Text lost to a closed pipe does not matter.
/// - Parameter signs: The terminal's escape sequences, written first and unescaped.
func standardError(_ text: String, after signs: String = "") {
    let bytes = Array((signs + ShownText.lines(text)).utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// A fault of writing to standard output.
struct OutputClosed: Error, CustomStringConvertible {
    /// The `errno` of the fault.
    let code: CInt

    /// Whether the reader of the pipe is gone, as `head` is once it has its lines.
    var isReaderGone: Bool { code == EPIPE }

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

/// Writes to standard output at once, past the buffer of `print`, which is kept while there is no terminal.
func standardOutput(_ text: String) throws(OutputClosed) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw OutputClosed(code: errno) }
        rest = rest.dropFirst(count)
    }
}
