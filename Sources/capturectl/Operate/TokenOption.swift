import ArgumentParser
import FoundationEssentials

/// `--token`, for the commands that ask a gateway for a status.
struct TokenOption: ParsableArguments {
    @Option(help: "Read-only or operator token for statuses; CAPTURE_TOKEN when not given.")
    var token: String?

    /// The token, from the command line or the environment; `nil` without one, and an empty one is none.
    var value: String? {
        if let token, !token.isEmpty { return token }
        guard let given = ProcessInfo.processInfo.environment["CAPTURE_TOKEN"], !given.isEmpty else { return nil }
        return given
    }
}
