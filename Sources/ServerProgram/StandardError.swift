#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The stream for messages that are not the answer.
enum StandardError {
    /// Writes a line.
    static func note(_ text: String) {
        var bytes = Array((text + "\n").utf8)
        _ = bytes.withUnsafeMutableBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
