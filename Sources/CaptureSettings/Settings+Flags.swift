import CaptureModel

extension Settings {
    /// Takes `--config FILE` out and refuses flags that name no setting; a program's second names are its own.
    /// - Returns: The values by the names of their variables, so that a flag takes what its variable takes; those of a
    ///   list that is given in pieces are put together.
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
            // Before a value is asked for: a name that is none has none.
            guard known[name] != nil || name == "--config" else {
                throw SettingsError("\(name): \(unknown(to: program))")
            }
            let given: String? = if let sign { String(argument[sign...].dropFirst()) } else { rest.popFirst() }
            guard let value = given else { throw SettingsError("\(name): a value is missing") }
            guard let setting = known[name] else {
                guard file == nil else { throw SettingsError("\(name): is given more than once") }
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
