import ArgumentParser

/// A question before something that cannot be taken back.
enum Confirmation {
    /// Asks, where there is somebody to be asked.
    /// - Parameter yes: Whether the answer was given on the command line.
    /// - Throws: `ValidationError` where there is nobody.
    static func isGiven(_ question: String, yes: Bool) throws -> Bool {
        if yes { return true }
        guard Terminal.canAsk else { throw ValidationError("nobody is there to be asked: say --yes") }
        standardError("\(question) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
