import ArgumentParser
import CaptureOperations
import FoundationEssentials

/// What every command for operators takes.
struct OperatorOptions: ParsableArguments {
    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.", completion: .file())
    var config: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false
}

/// Who it is that acts, for the audit in PostgreSQL.
struct ActorOption: ParsableArguments {
    /// Where a service's user runs the command, or a container's, only whoever starts it knows who it is.
    static let variable = "CAPTURE_ACTOR"

    private static let bytesMax = 200

    @Option(help: "Who acts, for the audit; CAPTURE_ACTOR, or the user and host when not given.")
    var actor: String?

    /// Whoever was named.
    var given: String? { actor ?? Self.fromEnvironment }

    /// The name for the audit.
    var name: String {
        let process = ProcessInfo.processInfo
        if let given { return given }
        // With sudo the user is root, and who it was is told by a variable.
        let user = process.environment["SUDO_USER"] ?? process.userName
        return "\(user)@\(process.hostName)"
    }

    func validate() throws {
        let named = [("--actor", actor), (Self.variable, Self.fromEnvironment)]
        for case (let source, let name?) in named where !OperatorWords.areOneLine(name, bytesMax: Self.bytesMax) {
            throw ValidationError("\(source) takes \(OperatorWords.rule(bytesMax: Self.bytesMax))")
        }
    }

    /// An empty one says nothing, as where a script passes on what it has not got.
    private static var fromEnvironment: String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
