import ArgumentParser
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes to standard error by its descriptor: C's `stderr` is a global variable.
///
/// What a closed pipe loses is only talk.
/// - Parameter signs: The terminal's own signs, which come first and are written as they are.
func standardError(_ text: String, after signs: String = "") {
    let bytes = Array((signs + ShownText.lines(text)).utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Standard output takes nothing more.
struct OutputClosed: Error, CustomStringConvertible {
    /// The fault's number in C.
    let code: CInt

    /// Whether the reader of the pipe is gone, as `head` is once it has its lines.
    var isReaderGone: Bool { code == EPIPE }

    var description: String { "standard output takes nothing more: \(Errno(rawValue: code))" }
}

/// Writes an answer to standard output: one that nobody gets is no success.
/// - Throws: ``CommandEnd/readerGone``, or ``CommandEnd/unwritten`` after it was told on the error stream.
func printAnswer(_ text: String, terminator: String = "\n") throws(ExitCode) {
    do throws(OutputClosed) {
        try standardOutput(text + terminator)
    } catch {
        throw CommandEnd.ofOutput(error)
    }
}

/// Writes to standard output at once, past the buffer that `print` fills while nobody reads along on a terminal.
func standardOutput(_ text: String) throws(OutputClosed) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw OutputClosed(code: errno) }
        rest = rest.dropFirst(count)
    }
}
