#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The stream for what is told beside an answer.
enum StandardError {
    /// Writes a line.
    static func note(_ text: String) {
        var bytes = Array((text + "\n").utf8)
        _ = bytes.withUnsafeMutableBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
