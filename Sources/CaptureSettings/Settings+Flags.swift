import CaptureModel

extension Settings {
    /// Takes `--config FILE` out and refuses unknown flags; a second name counts only in its own program.
    /// - Returns: The values by the names of their variables, so that a flag accepts the same values as its variable.
    ///   The pieces of a list that is given several times are joined.
    static func readFlags(
        _ arguments: [String], of program: ProgramName
    ) throws(SettingsError) -> (variables: [String: String], file: String?) {
        let known = Dictionary(
            uniqueKeysWithValues: Setting.all.flatMap { setting in
                setting.flagNames(in: program).map { ($0, setting) }
            })
        var variables: [String: String] = [:]
        var file: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let sign = argument.firstIndex(of: "=")
            let name = String(argument[..<(sign ?? argument.endIndex)])
            // Before a value is read: an unknown flag needs none.
            guard known[name] != nil || name == "--config" else {
                throw SettingsError("\(name): \(unknown(to: program))")
            }
            let given: String? = if let sign { String(argument[sign...].dropFirst()) } else { rest.popFirst() }
            guard let value = given else { throw SettingsError("\(name): a value is missing") }
            guard let setting = known[name] else {
                guard file == nil else { throw SettingsError("\(name): is given more than once") }
                guard !value.isEmpty else { throw SettingsError("\(name): takes a file, and is empty") }
                file = value
                continue
            }
            let earlier = variables[setting.environmentName]
            if earlier != nil, !setting.isList { throw SettingsError("\(name): is given more than once") }
            variables[setting.environmentName] = earlier.map { "\($0),\(value)" } ?? value
        }
        return (variables, file)
    }
}

extension Setting {
    /// Whether it takes several texts.
    var isList: Bool { if case .list = kind { true } else { false } }
}
