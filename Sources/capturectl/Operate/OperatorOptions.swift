import ArgumentParser
import FoundationEssentials

/// What every command for operators takes.
struct OperatorOptions: ParsableArguments {
    @Option(help: "Configuration file; CAPTURE_CONFIG when not given.")
    var config: String?

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false
}

/// Who it is that acts, for the audit in PostgreSQL.
struct ActorOption: ParsableArguments {
    @Option(help: "Who acts, for the audit; the user and host when not given.")
    var actor: String?

    /// The name for the audit.
    var name: String {
        let process = ProcessInfo.processInfo
        // With sudo the user is root, and who it was is told by a variable.
        let user = process.environment["SUDO_USER"] ?? process.userName
        return actor ?? "\(user)@\(process.hostName)"
    }

    func validate() throws {
        if let actor, actor.isEmpty || actor.utf8.count > 200 {
            throw ValidationError("--actor takes 1 to 200 bytes")
        }
    }
}
