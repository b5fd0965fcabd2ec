import CaptureModel

/// The password of Redis's user `default`, an administrator, where it stands in the settings as it is.
///
/// The programs' user may read settings: with the password of their own user anybody could become administrator.
enum DefaultPassword {
    static let setting = "requirepass"

    /// The problem with it; none where the programs log in as that user.
    /// - Parameters:
    ///   - value: As `CONFIG GET` writes it; it is told to nobody.
    ///   - user: The user of the programs; `nil` for `default`.
    static func problem(_ value: String?, user: String?) -> SettingProblem? {
        guard let user, user != "default", value?.isEmpty == false else { return nil }
        return SettingProblem(
            setting: "Redis's \(setting)", value: "a password that \(user) can read",
            needed: "empty, with a hashed password for the user default in its place",
            consequence: "the programs' password is as good as an administrator's", gravity: .precaution)
    }
}
