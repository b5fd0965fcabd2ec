import ArgumentParser

/// A question before something that cannot be taken back.
enum Confirmation {
    /// Says what it concerns and asks, where there is somebody to be asked.
    ///
    /// Both on the error stream: the output may be a file or a pipe, which keeps it until the answer is given.
    /// - Parameters:
    ///   - preview: What it concerns.
    ///   - isNeeded: Whether to ask at all; where not, what it concerns is a part of the output, unless that is JSON.
    ///   - json: Whether the output is JSON.
    /// - Throws: `ValidationError` where there is nobody.
    static func isGiven(
        _ question: String, about preview: String, isNeeded: Bool = true, json: Bool
    ) throws -> Bool {
        guard isNeeded else {
            if !json { try printAnswer(preview) }
            return true
        }
        standardError("\(preview)\n")
        guard Terminal.canAsk else { throw ValidationError("nobody is there to be asked: say --yes") }
        standardError("\(question) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
