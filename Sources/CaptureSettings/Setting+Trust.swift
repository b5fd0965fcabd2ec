import CaptureModel

extension Setting {
    // MARK: Whom to believe

    package static let appIDs = Setting(
        "app.ids", .list, nil,
        "The app ids (team and bundle, as in ABCDE12345.com.example.app) whose devices are taken."
    )
    package static let appEnvironments = Setting(
        "app.environments", .list, "production",
        "App Attest environments whose keys are taken: production, development."
    )
    package static let appRoots = Setting(
        "app.roots", .list, nil,
        "PEM files of roots trusted besides Apple's, which is built in; devices of one that is gone are refused."
    )
    package static let registrationPolicy = Setting(
        "app.registrationPolicy", .choice(RegistrationPolicy.allCases.map(\.rawValue)),
        RegistrationPolicy.degrade.rawValue,
        "What becomes of a device that registers with a bad attestation or none: registered as unverified, or refused."
    )

    /// The settings of trust in apps, environments and roots.
    static let trust = [appIDs, appEnvironments, appRoots, registrationPolicy]
}
