#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The streams of a program, written to at once by their descriptors.
///
/// `print` keeps its text in a buffer while there is no terminal, and C's `stderr` is a global variable.
package enum StandardStreams {
    /// Writes an answer to standard output, as much of it as is taken.
    /// - Returns: `errno` if not all of it could be written.
    package static func answer(_ text: String) -> CInt? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    /// Writes a message to standard error; text lost to a closed pipe does not matter.
    package static func note(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
