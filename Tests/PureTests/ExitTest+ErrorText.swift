import Testing

extension ExitTest.Result {
    /// What the process wrote to standard error, which says by which precondition it was stopped.
    var errorText: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
