import ArgumentParser
import CaptureOperations
import FoundationEssentials

/// The options of every command for operators.
struct OperatorOptions: ParsableArguments {
    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.", completion: .file())
    var config: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false
}

/// The actor's name for the audit in PostgreSQL.
struct ActorOption: ParsableArguments {
    /// If a service's user or a container runs the command, only the caller knows who acts.
    static let variable = "CAPTURE_ACTOR"

    private static let bytesMax = 200

    @Option(help: "Who acts, for the audit; CAPTURE_ACTOR, or the user and host when not given.")
    var actor: String?

    /// The name given.
    var given: String? { actor ?? Self.fromEnvironment }

    /// The name for the audit.
    var name: String {
        let process = ProcessInfo.processInfo
        if let given { return given }
        // Under sudo the user is root, and a variable has the caller's name.
        let user = process.environment["SUDO_USER"] ?? process.userName
        return "\(user)@\(process.hostName)"
    }

    func validate() throws {
        let named = [("--actor", actor), (Self.variable, Self.fromEnvironment)]
        for case (let source, let name?) in named where !OperatorWords.areOneLine(name, bytesMax: Self.bytesMax) {
            throw ValidationError("\(source) takes \(OperatorWords.rule(bytesMax: Self.bytesMax))")
        }
    }

    /// An empty variable counts as unset: a script may pass on one that it has not got.
    private static var fromEnvironment: String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
