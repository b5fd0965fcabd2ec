import ArgumentParser
import FoundationEssentials

/// `--token`, for the commands that ask a gateway for a status.
struct TokenOption: ParsableArguments {
    @Option(help: "Read-only or operator token for statuses; CAPTURE_TOKEN when not given.")
    var token: String?

    /// Checks the token where it is used: a command that asks for no status ignores the environment's.
    func requireCarried() throws {
        // A header carries no other characters, and the failed request would look like an absent gateway.
        guard value?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            let source = token.map { $0.isEmpty } ?? true ? "CAPTURE_TOKEN" : "--token"
            throw ValidationError("\(source) takes visible ASCII characters only, and no end of a line")
        }
    }

    /// The token from the command line or the environment; an empty one counts as `nil`.
    var value: String? {
        if let token, !token.isEmpty { return token }
        guard let given = ProcessInfo.processInfo.environment["CAPTURE_TOKEN"], !given.isEmpty else { return nil }
        return given
    }
}
