import CaptureModel
import Configuration
import FaultPoints

extension Settings {
    /// The message for an unknown setting.
    static func unknown(to program: ProgramName) -> String {
        // `capturectl --help` lists no settings.
        let lister: ProgramName = program == .capturectl ? .gateway : program
        return "there is no such setting; \(lister) --help lists them"
    }

    /// Variables for tests, scripts and `capturectl` that no program reads as a setting.
    private static let otherVariables: Set<String> = [
        "CAPTURE_CONFIG", "CAPTURE_ACTOR", "CAPTURE_VECTORS_DIR", "CAPTURE_TOKEN", ArmedFaults.Variable.point,
        ArmedFaults.Variable.poison,
    ]

    /// Refuses a variable of ours that is no setting, which may be one that is misspelt.
    static func refuseUnknown(
        _ environment: [String: String], to program: ProgramName
    ) throws(SettingsError) {
        let known = Set(Setting.all.map(\.environmentName)).union(otherVariables)
        for name in environment.keys.sorted() where name.hasPrefix("CAPTURE_") && !name.hasPrefix("CAPTURE_TEST_") {
            guard known.contains(name) else {
                throw SettingsError("\(name): \(unknown(to: program))")
            }
        }
    }

    /// Where values are looked up: flags and environment together, or the file.
    struct Place {
        let provider: any ConfigProvider
        let prefix: [String]
        /// What of it gives a setting its value.
        let source: (Setting) -> String
    }

    /// A setting's text in the first place that has one, and what of that place gives it; `nil` if none has.
    /// - Throws: `SettingsError` for a list in place of a text, and for the reverse.
    static func look(
        up setting: Setting, in places: [Place]
    ) throws(SettingsError) -> (text: String, source: String)? {
        let components = setting.key.split(separator: ".").map(String.init)
        for place in places {
            let source = place.source(setting)
            do {
                let key = AbsoluteConfigKey(place.prefix + components)
                guard let value = try place.provider.value(forKey: key, type: setting.configType).value else {
                    continue
                }
                switch value.content {
                case .string(let text): return (text, source)
                case .stringArray(let texts): return (texts.joined(separator: ","), source)
                default: throw misread(setting, in: source)
                }
            } catch {
                throw misread(setting, in: source)
            }
        }
        return nil
    }

    /// The error for one text in place of a list in the file, and for the reverse.
    private static func misread(_ setting: Setting, in source: String) -> SettingsError {
        refusal(
            of: setting,
            setting.isList ? "takes a list, in the file as [a, b]" : "takes one value and no list: \(setting.range)",
            from: source)
    }

    /// The error for a value, with what it comes from: another place may have the same setting.
    static func refusal(of setting: Setting, _ words: String, from source: String?) -> SettingsError {
        SettingsError("\(setting.key): \(words)" + (source.map { " (from \($0))" } ?? ""))
    }

    /// A whole number in its plain form, without signs or zeros that are not needed.
    static func plain(_ text: String, for setting: Setting) -> String {
        guard case .integer = setting.kind, let number = Int(text) else { return text }
        return String(number)
    }

    /// Whether an empty value means "not set", as in `CAPTURE_APPLE_KEY_FILE=`: so for texts without a default.
    static func isUnset(_ text: String, for setting: Setting) -> Bool {
        guard case .text = setting.kind else { return false }
        return text.isEmpty && setting.standard == nil
    }

    /// The longest text in bytes; for a list, with the commas between its entries.
    static let textBytesMax = 4096

    /// Refuses a text that a setting does not take.
    static func check(_ text: String, for setting: Setting, from source: String?) throws(SettingsError) {
        // Mostly a variable that somebody meant to fill: the default would be another server or another address.
        if text.isEmpty, let standard = setting.standard, !standard.isEmpty {
            throw refusal(of: setting, "is empty; leave it out for its default", from: source)
        }
        guard text.utf8.count <= textBytesMax else {
            let most = "\(textBytesMax) bytes\(setting.isList ? ", with the commas between," : "")"
            throw refusal(of: setting, "takes at most \(most) and has \(text.utf8.count)", from: source)
        }
        let isGood =
            switch setting.kind {
            case .text, .list: true
            case .form(_, let isGood): isGood(text)
            case .choice(let words): words.contains(text)
            case .integer(let range): Int(text).map(range.contains) ?? false
            case .duration(let range): SettingDuration.read(text).map(range.contains) ?? false
            case .bytes(let range): SettingSize.read(text).map(range.contains) ?? false
            }
        guard isGood else {
            let found = setting.isSecret ? "" : "'\(text)' is not what it takes; "
            let form = if case .integer = setting.kind { "a whole number, " } else { "" }
            throw refusal(of: setting, "\(found)it takes \(form)\(setting.range)", from: source)
        }
    }
}

extension Setting {
    /// The type as which it is read: numbers are read as texts, or else 0100 in the file would be YAML's 64.
    var configType: ConfigType { isList ? .stringArray : .string }
}
