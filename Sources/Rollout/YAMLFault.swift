import Yams

/// Tells why a file is no YAML: of settings, and of the rollout.
package enum YAMLFault {
    /// The fault and its place, without the line itself, which may hold a password.
    package static func words(for fault: any Error) -> String {
        switch fault {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            "line \(mark.line), column \(mark.column): \(problem)"
        case YamlError.reader(let problem, _, _, _): problem
        case YamlError.duplicatedKeysInMapping(let names, let context):
            "line \(context.mark.line): given more than once: \(names.joined(separator: ", "))"
        // Some messages of Yams quote the whole text.
        case is YamlError: "it is not valid YAML"
        default: "\(fault)"
        }
    }
}
