package import CaptureModel
import Configuration
package import FaultPoints
import Foundation

/// The configuration of a program: flags over environment over file over defaults, checked as a whole before the start.
package struct Settings: Sendable {
    private let values: [String: String]
    /// The faults that a test run has armed; none in operation.
    package let faults: ArmedFaults
    /// The file that was read; `nil` where neither `--config` nor `CAPTURE_CONFIG` names one.
    package let file: String?

    /// Reads the configuration.
    /// - Parameters:
    ///   - arguments: The program's arguments without its name: `--config FILE` and one flag for each setting.
    ///   - environment: `CAPTURE_CONFIG` and one `CAPTURE_…` for each setting.
    ///   - program: The program whose flags they are.
    /// - Throws: ``SettingsError`` naming the key and what it takes.
    package init(
        arguments: [String], environment: [String: String], program: ProgramName
    ) async throws(SettingsError) {
        let (flags, path) = try Self.readFlags(arguments, of: program)
        try Self.refuseUnknown(environment, to: program)
        // A flag is read like its variable, and overrides it.
        let variables = environment.merging(flags) { _, flag in flag }
        var providers: [(any ConfigProvider, prefix: [String])] = [
            (EnvironmentVariablesProvider(environmentVariables: variables), ["capture"])
        ]
        file = path ?? environment["CAPTURE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        if let file { providers.append((try await Self.provider(ofFile: file, for: program), [])) }
        var values: [String: String] = [:]
        for setting in Setting.all {
            guard let text = try Self.look(up: setting, in: providers) ?? setting.standard else { continue }
            if Self.isUnset(text, for: setting) { continue }
            try Self.check(text, for: setting)
            values[setting.key] = Self.plain(text, for: setting)
        }
        self.values = values
        do throws(ArmedFaults.Unknown) {
            faults = try ArmedFaults(environment: environment)
        } catch {
            throw SettingsError(error.description)
        }
        try validate(for: program)
    }

    // MARK: Reading

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

    private static func refuseUnknown(
        _ environment: [String: String], to program: ProgramName
    ) throws(SettingsError) {
        let known = Set(Setting.all.map(\.environmentName)).union(otherVariables)
        for name in environment.keys.sorted() where name.hasPrefix("CAPTURE_") && !name.hasPrefix("CAPTURE_TEST_") {
            guard known.contains(name) else {
                throw SettingsError("\(name): \(unknown(to: program))")
            }
        }
    }

    private static func look(
        up setting: Setting, in providers: [(any ConfigProvider, prefix: [String])]
    ) throws(SettingsError) -> String? {
        let components = setting.key.split(separator: ".").map(String.init)
        for (provider, prefix) in providers {
            do {
                let key = AbsoluteConfigKey(prefix + components)
                guard let value = try provider.value(forKey: key, type: setting.configType).value else { continue }
                switch value.content {
                case .string(let text): return text
                case .stringArray(let texts): return texts.joined(separator: ",")
                default: throw SettingsError(misread(setting))
                }
            } catch {
                throw SettingsError(misread(setting))
            }
        }
        return nil
    }

    /// The message for one text in place of a list in the file, and for the reverse.
    private static func misread(_ setting: Setting) -> String {
        setting.isList
            ? "\(setting.key): takes a list, in the file as [a, b]"
            : "\(setting.key): takes one value and no list: \(setting.range)"
    }

    /// A whole number in its plain form, without signs or zeros that are not needed.
    private static func plain(_ text: String, for setting: Setting) -> String {
        guard case .integer = setting.kind, let number = Int(text) else { return text }
        return String(number)
    }

    /// Whether an empty value means "not set", as in `CAPTURE_APPLE_KEY_FILE=`: so for texts without a default.
    private static func isUnset(_ text: String, for setting: Setting) -> Bool {
        guard case .text = setting.kind else { return false }
        return text.isEmpty && setting.standard == nil
    }

    /// The longest text in bytes; for a list, with the commas between its entries.
    static let textBytesMax = 4096

    private static func check(_ text: String, for setting: Setting) throws(SettingsError) {
        // Mostly a variable that somebody meant to fill: the default would be another server or another address.
        if text.isEmpty, let standard = setting.standard, !standard.isEmpty {
            throw SettingsError("\(setting.key): is empty; leave it out for its default")
        }
        guard text.utf8.count <= textBytesMax else {
            let most = "\(textBytesMax) bytes\(setting.isList ? ", with the commas between," : "")"
            throw SettingsError("\(setting.key): takes at most \(most) and has \(text.utf8.count)")
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
            throw SettingsError("\(setting.key): \(found)it takes \(form)\(setting.range)")
        }
    }

    // MARK: Values

    /// The text of a setting; `nil` if it is not set and has no default.
    package func text(_ setting: Setting) -> String? { values[setting.key] }

    /// The texts of a list, without spaces around them; none if it is not set and has no default.
    package func list(_ setting: Setting) -> [String] {
        (values[setting.key] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The text of a setting that is set or has a default; traps for any other.
    package func required(_ setting: Setting) -> String { value(setting) { $0 } }

    /// The word of a choice; traps for a setting of another kind.
    package func choice<Value: RawRepresentable<String>>(_ setting: Setting) -> Value {
        value(setting) { Value(rawValue: $0) }
    }

    /// A whole number; traps for a setting of another kind.
    package func integer(_ setting: Setting) -> Int { value(setting) { Int($0) } }

    /// A time; traps for a setting of another kind.
    package func duration(_ setting: Setting) -> Duration { value(setting, SettingDuration.read) }

    /// A size in bytes; traps for a setting of another kind.
    package func bytes(_ setting: Setting) -> Int { value(setting, SettingSize.read) }

    /// The value of a setting that is set or has a default; its text was checked at the start.
    ///
    /// Where there is no text, or `read` does not take it, this traps.
    package func value<Value>(_ setting: Setting, _ read: (String) -> Value?) -> Value {
        guard let value = text(setting).flatMap(read) else {
            preconditionFailure("\(setting.key) was not checked at the start")
        }
        return value
    }

    /// The file that was read, in words.
    package var origin: String {
        file.map { "read the settings' file \($0)" }
            ?? "read no settings' file: neither --config nor CAPTURE_CONFIG names one"
    }

    /// Every setting in force, without secrets but with the servers' places, for `--print-settings`.
    package var table: [(key: String, value: String)] {
        Setting.all.map { setting in
            guard let value = values[setting.key] else { return (setting.key, "(not set)") }
            if setting.isSecret {
                return (setting.key, place(of: setting).map { "\($0) (the rest is secret)" } ?? "(secret)")
            }
            let isAddress = Setting.appleAddresses.contains { $0.key == setting.key }
            return (setting.key, isAddress ? Self.shown(address: value) : value)
        }
    }
}

extension Setting {
    /// The type as which it is read: numbers are read as texts, or else 0100 in the file would be YAML's 64.
    var configType: ConfigType { isList ? .stringArray : .string }
}
