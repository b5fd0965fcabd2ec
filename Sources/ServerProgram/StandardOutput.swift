#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The stream for answers: one that nobody gets is no success.
enum StandardOutput {
    /// Writes a line.
    /// - Returns: C's number of the fault, where not all of it could be written.
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
