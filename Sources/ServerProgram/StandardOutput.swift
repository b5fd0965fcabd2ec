#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The stream for answers; an answer that cannot be written is a failure.
enum StandardOutput {
    /// Writes a line.
    /// - Returns: `errno` if not all of it could be written.
    static func answer(_ text: String) -> CInt? {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
