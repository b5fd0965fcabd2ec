import ArgumentParser
import FoundationEssentials

/// `--token`, for the commands that ask a gateway for a status.
struct TokenOption: ParsableArguments {
    @Option(help: "Read-only or operator token for statuses; CAPTURE_TOKEN when not given.")
    var token: String?

    /// Where it is used: one in the environment is nothing to a command that asks no status.
    func requireCarried() throws {
        // A header carries no others, and the request would look like one to a gateway that is away.
        guard value?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            let source = token.map { $0.isEmpty } ?? true ? "CAPTURE_TOKEN" : "--token"
            throw ValidationError("\(source) takes visible ASCII characters only, and no end of a line")
        }
    }

    /// The token, from the command line or the environment; `nil` without one, and an empty one is none.
    var value: String? {
        if let token, !token.isEmpty { return token }
        guard let given = ProcessInfo.processInfo.environment["CAPTURE_TOKEN"], !given.isEmpty else { return nil }
        return given
    }
}
