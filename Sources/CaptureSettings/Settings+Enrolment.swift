public import Enrolment
import FoundationEssentials

extension Settings {
    /// What seals the secrets of enrolments, read from its file; `nil` when none is configured, so that nobody enrols.
    public func enrolmentSeal() throws(SettingsError) -> SecretSeal? {
        guard let path = text(.enrolmentKeyFile) else { return nil }
        let contents: String
        do {
            contents = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw SettingsError("enrolment.keyFile: \(path): cannot be read")
        }
        guard let seal = SecretSeal(keyFile: contents) else {
            throw SettingsError(
                "enrolment.keyFile: \(path): takes 1 to 8 lines with 32 bytes as base64 each, as of "
                    + "'head -c 32 /dev/urandom | base64'")
        }
        return seal
    }
}
