import Glibc

/// The streams of a program, written to at once by their descriptors.
///
/// `print` keeps its text in a buffer while there is no terminal, and C's `stderr` is a global variable.
package enum StandardStreams {
    /// Writes an answer to standard output, as much of it as is taken.
    /// - Returns: `errno` if not all of it could be written.
    package static func answer(_ text: String) -> CInt? {
        put(text, on: STDOUT_FILENO, patience: -1)
    }

    /// Writes a message to standard error; text lost to a closed pipe, or to one that nobody reads, does not matter.
    package static func note(_ text: String) {
        _ = put(text, on: STDERR_FILENO, patience: 1000)
    }

    /// Writes a text to a descriptor.
    ///
    /// - Parameter patience: How many milliseconds each wait for room in a non-blocking descriptor may last; -1 for any
    ///   time.
    /// - Returns: `errno` if not all of it could be written.
    static func put(_ text: String, on descriptor: CInt, patience: CInt) -> CInt? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            // Another process that shares the descriptor has made it non-blocking.
            case EAGAIN:
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&output, 1, patience) == 0 { return EAGAIN }
            default: return errno
            }
        }
        return nil
    }
}
