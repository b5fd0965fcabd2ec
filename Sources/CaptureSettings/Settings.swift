package import CaptureModel
import Configuration
package import FaultPoints
import Foundation

/// The configuration of a program: flags over environment over file over defaults, checked as a whole before the start.
package struct Settings: Sendable {
    private let values: [String: String]
    /// The flag, the variable or the file that each value comes from, by its key; defaults have none.
    private let sources: [String: String]
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
        var places = [
            Place(provider: EnvironmentVariablesProvider(environmentVariables: variables), prefix: ["capture"]) {
                flags[$0.environmentName] == nil ? $0.environmentName : $0.flagName
            }
        ]
        file = path ?? environment["CAPTURE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        if let file {
            let provider = try await Self.provider(ofFile: file, for: program)
            places.append(Place(provider: provider, prefix: []) { _ in file })
        }
        var (values, sources): ([String: String], [String: String]) = ([:], [:])
        for setting in Setting.all {
            let found = try Self.look(up: setting, in: places)
            guard let text = found?.text ?? setting.standard else { continue }
            if Self.isUnset(text, for: setting) { continue }
            try Self.check(text, for: setting, from: found?.source)
            values[setting.key] = Self.plain(text, for: setting)
            sources[setting.key] = found?.source
        }
        self.values = values
        self.sources = sources
        do throws(ArmedFaults.Unknown) {
            faults = try ArmedFaults(environment: environment)
        } catch {
            throw SettingsError(error.description)
        }
        try validate(for: program)
    }

    /// The error for a setting's value, with the flag, the variable or the file that it comes from.
    package func refusal(of setting: Setting, _ words: String) -> SettingsError {
        Self.refusal(of: setting, words, from: sources[setting.key])
    }

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
