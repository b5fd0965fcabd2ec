import ArgumentParser

/// Asks before something that cannot be undone.
enum Confirmation {
    /// Shows the preview and asks, if there is somebody to ask.
    ///
    /// Both go to the error stream: the output may be a file or a pipe, which would hold the question back.
    /// - Parameters:
    ///   - preview: What the action concerns.
    ///   - dryRun: Whether nothing is to be done: the preview is then all of it, and part of the output.
    ///   - isNeeded: Whether to ask at all; if not, the preview is part of the output.
    ///   - json: Whether the output is JSON: the preview goes to the error stream then in any case.
    /// - Throws: `ValidationError` if there is nobody to ask.
    static func isGiven(
        _ question: String, about preview: String, dryRun: Bool, isNeeded: Bool, json: Bool
    ) throws -> Bool {
        guard isNeeded, !dryRun else {
            if json { standardError("\(preview)\n") } else { try printAnswer(preview) }
            return !dryRun
        }
        standardError("\(preview)\n")
        guard Terminal.canAsk else { throw ValidationError("nobody is there to be asked: say --yes") }
        standardError("\(question) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
