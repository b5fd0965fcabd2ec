package import Enrolment

extension Settings {
    /// The keys that seal enrolments' secrets, read from their file; `nil` when none is configured: nobody enrols.
    package func enrolmentSeal() throws(SettingsError) -> SecretSeal? {
        guard let path = text(.enrolmentKeyFile) else { return nil }
        guard let seal = SecretSeal(keyFile: try Self.contents(of: path, namedBy: .enrolmentKeyFile)) else {
            throw SettingsError(
                "enrolment.keyFile: \(path): takes 1 to 8 lines with 32 bytes as base64 each, as of "
                    + "'head -c 32 /dev/urandom | base64'")
        }
        return seal
    }
}
